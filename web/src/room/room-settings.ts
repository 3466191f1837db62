// The form that gives an open room another title and other exercises.

import { el } from "../dom.ts";
import type { Room } from "../go/room.ts";
import { MAX_TITLE } from "../go/room-limits.ts";
import type { Change } from "./api.ts";
import type { Exercises } from "./data.ts";
import { exerciseChoice } from "./exercise-choice.ts";
import { plural } from "./words.ts";

export class RoomSettings {
  readonly root: HTMLElement;
  readonly #details: HTMLDetailsElement;
  readonly #title = el("input", { maxlength: MAX_TITLE, dir: "auto", autocomplete: "off" });
  readonly #choice: ReturnType<typeof exerciseChoice>;
  readonly #problem = el("p", { class: "room-problem", role: "alert" });
  #room: Room | null = null;

  constructor(exercises: Exercises, change: (change: Change, done: string) => void) {
    this.#choice = exerciseChoice(exercises);
    const title = el(
      "form",
      { class: "room-controls", novalidate: true },
      el("label", {}, "Title ", this.#title),
      el("button", { class: "ots-button", type: "submit" }, "Change the title"),
    );
    title.addEventListener("submit", (e) => {
      e.preventDefault();
      const words = this.#title.value.trim();
      this.#problem.textContent = words === "" ? "Type a title." : "";
      if (words !== "") change({ title: words }, "The title has been changed.");
    });
    const chosen = el(
      "form",
      { class: "room-form is-wide", novalidate: true },
      this.#choice.root,
      el("p", {}, el("button", { class: "ots-button", type: "submit" }, "Change the exercises")),
      el(
        "p",
        { class: "room-hint" },
        "Submissions for an exercise that you remove stay in the archive. If you add the exercise again, they are back " +
          "in the grid and in the grades.",
      ),
    );
    chosen.addEventListener("submit", (e) => {
      e.preventDefault();
      const room = this.#room;
      const boxes = this.#choice.chosen();
      this.#problem.textContent = boxes.length === 0 ? "Choose at least one exercise." : "";
      if (!room || boxes.length === 0) return;
      // Exercises that stay keep their order, as the instructor chose it when the room was opened.
      const kept = room.exercises.filter((id) => boxes.includes(id) || !exercises.all.some((e) => e.exercise === id));
      const all = [...kept, ...boxes.filter((id) => !kept.includes(id))];
      change({ exercises: all }, `The room now has ${plural(all.length, "exercise")}.`);
    });
    this.#details = el(
      "details",
      {},
      el("summary", {}, "Change the title and the exercises"),
      title,
      chosen,
      this.#problem,
    );
    // A change in the room does not overwrite what the instructor is choosing.
    this.#details.addEventListener("toggle", () => this.#fill());
    this.root = el(
      "section",
      { class: "room-section for-instructor", "aria-label": "Title and exercises" },
      el("h2", {}, "Title and exercises"),
      this.#details,
    );
  }

  show(room: Room): void {
    const first = this.#room === null;
    this.#room = room;
    if (first) this.#fill();
  }

  #fill(): void {
    if (!this.#room) return;
    this.#title.value = this.#room.title;
    this.#choice.choose(this.#room.exercises);
  }
}
