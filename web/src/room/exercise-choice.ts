// The boxes by which an instructor chooses the exercises of a room, by chapter.

import { el } from "../dom.ts";
import type { Exercises } from "./data.ts";

export interface ExerciseChoice {
  root: HTMLElement;
  /** Returns the exercises that are chosen, in the order of the workbook. */
  chosen: () => string[];
  choose: (exercises: readonly string[]) => void;
}

export function exerciseChoice(exercises: Exercises): ExerciseChoice {
  const boxes = exercises.all.map((e) => ({ ...e, box: el("input", { type: "checkbox", value: e.exercise }) }));
  const chapters = [...new Set(exercises.all.map(({ chapter }) => chapter))];
  const root = el(
    "fieldset",
    { class: "room-choice" },
    el("legend", {}, "Exercises"),
    ...chapters.map((chapter) =>
      el(
        "div",
        { class: "room-chapter" },
        el("h2", {}, chapter),
        ...boxes
          .filter((e) => e.chapter === chapter)
          .map(({ box, number, title }) =>
            el("label", {}, box, el("span", { class: "room-number" }, String(number)), ` ${title}`),
          ),
      ),
    ),
  );
  return {
    root,
    chosen: () => boxes.filter(({ box }) => box.checked).map(({ exercise }) => exercise),
    choose(chosen) {
      for (const { box, exercise } of boxes) box.checked = chosen.includes(exercise);
    },
  };
}
