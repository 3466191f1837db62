// Words for how a run ended.

import type { ProgramRun } from "../go/runner.ts";

export interface Ending {
  words: string;
  /** Whether the program or its tests went wrong. */
  problem: boolean;
}

export function ending({ errors, isTest, status, testsFailed }: ProgramRun): Ending {
  // The output until a limit ended the program is shown above.
  if (errors.trim() !== "") return { words: `Did not finish: ${errors.trim()}`, problem: true };
  const failed = `${testsFailed} ${testsFailed === 1 ? "test" : "tests"} failed`;
  if (isTest && testsFailed > 0) return { words: failed, problem: true };
  if (isTest && status === 0) return { words: "All tests passed", problem: false };
  if (isTest) return { words: `The tests did not finish, and exited with status ${status}`, problem: true };
  return status === 0 ? { words: "Exited", problem: false } : { words: `Exited with status ${status}`, problem: true };
}
