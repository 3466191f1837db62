// The progress file. It has the format of .checkalloc/progress.json, which internal/workspace reads and writes.

import { readAnswer, type Answer } from "../choices/data.ts";
import { isCount, isMeasured, isTime } from "../exercise/saved.ts";
import { isFields, type Fields } from "../json.ts";
import type { Measured } from "../go/exercise.ts";
import { renumbered } from "../renumbered.ts";

export const FILE_NAME = "progress.json";
const SCHEMA = "checkalloc/progress/2";
/** The same format from before the exercises were renumbered. */
const FORMER_SCHEMA = "checkalloc/progress/1";

/** Returns today's name of an exercise or a question in a file. */
const nameIn = (file: Fields, name: string) => (file["schema"] === FORMER_SCHEMA ? renumbered(name) : name);

/** The largest file that is imported, in bytes. An exercise takes about 300 bytes. */
export const MAX_BYTES = 1 << 20;

/** The progress on one exercise. */
export interface State {
  /** The time of the first pass, in the format of RFC 3339; absent if there is none. */
  passed?: string;
  /** Whether the solution was shown before the pass; absent if it was not. */
  spoiled?: boolean;
  /** The number of hints that were shown. */
  hints: number;
  /** The figures of the last check that measured any. */
  last: Measured[];
}

/** The progress by the exercise's ID. */
export type Progress = Map<string, State>;

/** The answers to the book's questions by the question's name, "memory-profiling/reader". */
export type Answers = Map<string, Answer>;

/** A mistake in a file. Its message is for the reader. */
export class WrongFile extends Error {}

export function writeProgress(progress: Progress, answers: Answers = new Map()): string {
  const exercises = [...progress]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { passed, spoiled, hints, last }]) => [
      id,
      {
        ...(passed === undefined ? {} : { passed }),
        ...(spoiled ? { spoiled } : {}),
        ...(hints === 0 ? {} : { hints }),
        ...(last.length === 0 ? {} : { last }),
      },
    ]);
  const questions = [...answers].sort(([a], [b]) => (a < b ? -1 : 1));
  const file = {
    schema: SCHEMA,
    exercises: Object.fromEntries(exercises),
    ...(questions.length === 0 ? {} : { questions: Object.fromEntries(questions) }),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Returns the answers in a file's text that readProgress accepts. It leaves out anything that is not an answer. */
export function readAnswers(text: string): Answers {
  const json: unknown = JSON.parse(text);
  const answers: Answers = new Map();
  if (!isFields(json) || !isFields(json["questions"])) return answers;
  for (const [name, question] of Object.entries(json["questions"])) {
    const answer = readAnswer(question);
    if (answer && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(name)) answers.set(nameIn(json, name), answer);
  }
  return answers;
}

/** Parses a file's text, or throws a WrongFile. */
export function readProgress(text: string): Progress {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (e) {
    throw new WrongFile(`it is not JSON (${e instanceof Error ? e.message : String(e)})`);
  }
  const schema = isFields(json) ? json["schema"] : undefined;
  if (!isFields(json) || typeof schema !== "string")
    throw new WrongFile(`it names no schema, so it is not a progress file`);
  if (schema !== SCHEMA && schema !== FORMER_SCHEMA) {
    throw new WrongFile(`its schema is “${schema.slice(0, 80)}”, and this page reads “${SCHEMA}”`);
  }
  const exercises = json["exercises"] ?? {};
  if (!isFields(exercises) || Array.isArray(exercises)) {
    throw new WrongFile("its “exercises” are not listed by name");
  }
  return new Map(Object.entries(exercises).map(([id, state]) => [nameIn(json, id), readState(id, state ?? {})]));
}

function readState(id: string, json: unknown): State {
  const wrong = (what: string) => new WrongFile(`what it says of “${id.slice(0, 80)}” is not valid: ${what}`);
  if (!isFields(json) || Array.isArray(json)) throw wrong("it is not an object");
  const passed = json["passed"] ?? undefined;
  const hints = json["hints"] ?? 0;
  const last = json["last"] ?? [];
  if (passed !== undefined && !isTime(passed)) throw wrong("“passed” is not a time, such as 2026-03-01T10:00:00Z");
  if (!isCount(hints)) throw wrong("“hints” is not a number of hints");
  if (!Array.isArray(last) || !last.every(isMeasured)) throw wrong("“last” is not a list of figures");
  return {
    ...(passed === undefined ? {} : { passed }),
    ...(json["spoiled"] === true ? { spoiled: true } : {}),
    hints,
    last: last.map(({ name, allocs_per_op, bytes_per_op }) => ({ name, allocs_per_op, bytes_per_op })),
  };
}
