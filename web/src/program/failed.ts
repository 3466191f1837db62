// What is shown of a program that failed: where its tests did, and what mends its imports. It is loaded when one has.

import { el } from "../dom.ts";
import type { Finding } from "../errors.ts";
import { FAILED, failures, testName } from "../verdict/failures.ts";

/** Begins the output of a test, or goes on with it, in a verbose log. */
const RUNS = /^=== (?:RUN|NAME|CONT) +(\S+)$/;

/** Returns where tests failed, by their verbose log. */
export function failedTests(verbose: string): Finding[] {
  return failures(messagesLast(verbose)).map(({ test, file, line, message }) => ({
    file,
    line,
    col: 0,
    message: `${testName(test)}: ${message}`,
  }));
}

/** Returns a verbose log, in which a test's messages stand before its result, as a log in which they stand after it. */
function messagesLast(verbose: string): string {
  const said = new Map<string, string[]>();
  const log: string[] = [];
  let test = "";
  for (const line of verbose.split("\n")) {
    const failed = FAILED.exec(line);
    const runs = RUNS.exec(line);
    if (failed) log.push(line, ...(said.get(failed[2]!) ?? []).map((message) => failed[1] + message));
    else if (runs) said.set((test = runs[1]!), said.get(test) ?? []);
    else said.get(test)?.push(line);
  }
  return log.join("\n");
}

/** Adds to the notice about errors what mends them, if they are about imports: what the advice on an exercise says. */
export function adviseOnImports(notice: HTMLElement, errors: string, text: string): void {
  if (aboutImports(errors, text)) notice.append(el("p", {}, "Format removes and adds imports."));
}

/** Reports whether errors are about an import that is not used, or about a name before a dot, as packages have. */
function aboutImports(errors: string, text: string): boolean {
  if (/ imported (?:as \w+ )?and not used/.test(errors)) return true;
  const undefinedNames = [...errors.matchAll(/: undefined: ([a-z]\w*)$/gm)].map(([, name]) => name);
  return undefinedNames.some((name) => new RegExp(`\\b${name}\\.[A-Z]`).test(text));
}
