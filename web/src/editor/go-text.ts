// A tokenizer for Go's highlighting, and the indentation of lines. A parser would know more, but would be a fifth of
// the editor's size.

export type Kind = "keyword" | "atom" | "number" | "string" | "comment";

export interface Token {
  kind: Kind;
  from: number;
  to: number;
}

const KEYWORDS = new Set(
  (
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package " +
    "range return select struct switch type var"
  ).split(" "),
);
const ATOMS = new Set(["true", "false", "nil", "iota"]);

// An unclosed token ends at the end of its line, or of the text if it may have several lines.
const COMMENT = String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)`;
const STRING = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|` + "`[^`]*`?";
const NUMBER = String.raw`0[xX](?:[pP][+-]|[\w.])*|\.?\d(?:[eE][+-]|[\w.])*`;
const WORD = String.raw`[\p{L}_][\p{L}\p{N}_]*`;
const TOKEN = new RegExp(`(?<comment>${COMMENT})|(?<string>${STRING})|(?<number>${NUMBER})|${WORD}`, "gu");

/** Yields the tokens that are highlighted, in order. */
export function* goTokens(text: string): Generator<Token> {
  for (const found of text.matchAll(TOKEN)) {
    const [word] = found;
    const kind =
      found.groups!["comment"] !== undefined
        ? "comment"
        : found.groups!["string"] !== undefined
          ? "string"
          : found.groups!["number"] !== undefined
            ? "number"
            : KEYWORDS.has(word)
              ? "keyword"
              : ATOMS.has(word)
                ? "atom"
                : null;
    if (kind) yield { kind, from: found.index, to: found.index + word.length };
  }
}

/** Returns a line without comments, and with empty strings. */
function bare(line: string): string {
  let code = "";
  let at = 0;
  for (const { kind, from, to } of goTokens(line)) {
    if (kind !== "comment" && kind !== "string") continue;
    code += line.slice(at, from) + (kind === "string" ? '""' : " ");
    at = to;
  }
  return (code + line.slice(at)).trim();
}

const isCase = (code: string) => /^(case\b.*|default\s*):$/.test(code);

/** Returns by how many tabs a line is indented more than the line before it. */
export function furtherIn(before: string, line: string): number {
  const above = bare(before);
  const opened = /[{([]$/.test(above) || isCase(above) ? 1 : 0;
  return /^\s*(?:[})\]]|case\b|default\s*:)/.test(line) ? opened - 1 : opened;
}
