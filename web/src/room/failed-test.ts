// The name of a test that failed.

import { MAX_TEST } from "../go/room-limits.ts";

/**
 * Returns the name of the first test that failed in the output of a test binary, with its subtest; "" if none failed, as
 * in a program that did not end. The server finds the same one, and also cuts a longer name.
 */
export function failedTest(output: string): string {
  let first = "";
  for (const [, name] of output.matchAll(/^[ \t]*--- FAIL: (\S+)/gm))
    if (first === "" || name!.startsWith(`${first}/`)) first = name!;
  return [...first].slice(0, MAX_TEST).join("");
}
