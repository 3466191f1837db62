// The data of an exercise, as tools/bookalloc writes it: the block in the page, and the files with its solution and its
// tests.

import { ExerciseData, SolutionData, type Listed } from "../go/exercise.ts";
import { read } from "../json.ts";
import { bookRoot } from "../site-root.ts";

/** Reads the block; null if it is not an exercise's, or has no file to edit. Its file is always one of its files. */
export function readExercise(json: unknown): ExerciseData | null {
  const data = read(ExerciseData, json, "exercise", "files");
  const names = Object.keys(data?.files ?? {});
  return data && names[0] !== undefined ? { ...data, file: names.includes(data.file) ? data.file : names[0] } : null;
}

/** Reads the file of a solution and the likely mistakes, or the file of the tests; null if it is something else. */
export function readFiles(json: unknown): SolutionData | null {
  return read(SolutionData, json, "files");
}

/** Fetches such a file, whose path is relative to the book's folder. Rejects if it cannot be fetched. */
export async function fetchFiles(href: string): Promise<SolutionData | null> {
  const reply = await fetch(bookRoot() + href);
  if (!reply.ok) throw new Error(`${href}: ${reply.status}`);
  return readFiles(await reply.json());
}

/**
 * Returns where to go on after a pass of the exercise id: the first other one that has not passed, in the order of the
 * book, as the list of exercises and checkalloc name it. Null if all others have passed.
 */
export function nextUnsolved(all: readonly Listed[], id: string, passed: (id: string) => boolean): Listed | null {
  return all.find(({ exercise }) => exercise !== id && !passed(exercise)) ?? null;
}

/**
 * Returns the line, from 1, at which a function's comment begins, or the function itself if it has no comment; 0 if the
 * text does not declare it. A method is named with its type: "Board.Read".
 */
export function functionLine(text: string, name: string): number {
  if (!/^\w+(\.\w+)?$/.test(name)) return 0;
  const [method, type] = name.split(".").reverse();
  const receiver = type === undefined ? "" : `\\(\\w*\\s*\\*?${type}(\\[[^\\]]*\\])?\\)\\s*`;
  const declaration = new RegExp(`^func\\s+${receiver}${method}\\s*[(\\[]`);
  const lines = text.split("\n");
  let at = lines.findIndex((line) => declaration.test(line));
  if (at < 0) return 0;
  while (at > 0 && lines[at - 1]!.startsWith("//")) at--;
  return at + 1;
}
