// The lines of a Go file that have code, so that files can be compared without their comments. checkalloc's diff finds
// the same lines: tools/checkalloc/app/diff.go.

export interface CodeLine {
  /** The line as it stands in the file. */
  text: string;
  /** Its code, without comments, and with one blank where gofmt may align with several. */
  code: string;
}

/**
 * A comment, a literal, in which there is none, or blanks. A literal without its end reaches to the end of the line or,
 * between backticks, of the file.
 */
const TOKEN = /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`[^`]*`?|[ \t]+/g;

/** Returns the lines of a Go file, which need not be correct, that have more than comments and white space. */
export function codeLines(file: string): CodeLine[] {
  // The lines of a comment stay lines.
  const code = file
    .replace(TOKEN, (token) => (/^(\/[/*]|\s)/.test(token) ? token.replace(/[^\n]+/g, " ") : token))
    .split("\n")
    .map((line) => line.trim());
  return file.split("\n").flatMap((text, i) => (code[i] ? [{ text, code: code[i] }] : []));
}
