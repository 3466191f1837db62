// A solution and the likely mistakes, as the book's build writes them.

import type { Files } from "../files.ts";
import { isFields } from "../verdict/schema.ts";

/** A likely mistake: a change to the starter that does not pass. */
export interface Mistake {
  name: string;
  title: string;
  why: string;
  say: string;
  /** A unified diff, from its first "@@" on. */
  diff: string;
}

export interface SolutionData {
  files: Files;
  mistakes: Mistake[];
}

/** Reads a solution that the book's build wrote; null if the JSON is something else. */
export function readSolution(json: unknown): SolutionData | null {
  if (!isFields(json) || !isFields(json["files"])) return null;
  const files = Object.entries(json["files"]).filter((f): f is [string, string] => typeof f[1] === "string");
  const mistakes = Array.isArray(json["mistakes"]) ? json["mistakes"].filter(isFields) : [];
  return {
    files: Object.fromEntries(files),
    mistakes: mistakes.map((m) => ({
      name: String(m["name"] ?? ""),
      title: String(m["title"] ?? ""),
      why: String(m["why"] ?? ""),
      say: String(m["say"] ?? ""),
      diff: String(m["diff"] ?? ""),
    })),
  };
}
