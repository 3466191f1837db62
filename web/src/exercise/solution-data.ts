// A solution and the likely mistakes, as the book's build writes them.

import { SolutionData } from "../go/exercise.ts";
import { read } from "../json.ts";

/** Reads the file of a solution; null if the JSON is something else. */
export function readSolution(json: unknown): SolutionData | null {
  return read(SolutionData, json, "files");
}
