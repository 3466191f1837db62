// The data block of a multiple-choice question, as tools/bookalloc writes it, and the stored form of an answer.

import { QuestionData } from "../go/book.ts";
import { isFields, read } from "../json.ts";

/** Reads the block; null if it is not a question's. */
export function readQuestionData(json: unknown): QuestionData | null {
  return read(QuestionData, json, "name", "right");
}

/** The prefix of the names under which answers are stored; the question's own name follows. */
export const ANSWERS = "question/";

/** A reader's answer, as it is stored. */
export interface Answer {
  /** The text of the choice, which stays the same if choices are added; null if the reader only looked. */
  choice: string | null;
  /** Whether it was right when it was given. */
  right: boolean;
}

export function readAnswer(json: unknown): Answer | null {
  if (!isFields(json)) return null;
  const { choice, right } = json;
  if ((choice !== null && typeof choice !== "string") || typeof right !== "boolean") return null;
  return { choice, right };
}
