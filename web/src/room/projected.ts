// The code that the instructor projects. The projector shows it without a name, and the instructor's page has a line
// with a button that puts it away. The server has it, so that it appears in each window of the projector's view.

import { button, el } from "../dom.ts";
import type { CheckedCode, Room } from "../go/room.ts";
import type { RoomAPI } from "./api.ts";
import { checkWords } from "./checked-code.ts";
import { sources } from "./code.ts";
import type { Exercises } from "./data.ts";

/** Code of more lines than this is in two columns if nearly all are short, so that all of it is on the screen. */
const LONG = 26;
const SHORT_LINE = 64;
const MAX_WRAPPED = 0.1;

export class ProjectedCode {
  readonly root = el("section", { class: "projector-code-view", "aria-label": "Code of a participant", hidden: true });
  readonly #api: RoomAPI;
  readonly #exercises: Exercises;
  /** The ID of what is shown or asked for; "" for nothing. */
  #code = "";

  constructor(api: RoomAPI, exercises: Exercises) {
    this.#api = api;
    this.#exercises = exercises;
  }

  show(room: Room): void {
    const { code } = room.projected;
    if (code === this.#code) return;
    this.#code = code;
    if (code === "") {
      this.root.hidden = true;
      this.root.replaceChildren();
      return;
    }
    void this.#api.projected(room.room).then((answer) => {
      if (this.#code !== code) return;
      if (answer.kind === "ok") this.#draw(answer.value);
      else this.#code = this.root.hidden ? "" : "?"; // the next state asks again
    });
  }

  #draw(check: CheckedCode): void {
    const { number, title } = this.#exercises.get(check.exercise);
    const lines = Object.values(check.files).flatMap((text) => text.split("\n"));
    const wrapped = lines.filter((line) => width(line) > SHORT_LINE).length;
    const columns = lines.length > LONG && wrapped <= MAX_WRAPPED * lines.length;
    this.root.hidden = false;
    this.root.replaceChildren(
      el("h2", {}, number > 0 && el("span", { class: "room-number" }, `${number} `), title),
      el("p", { class: "projector-verdict", "data-stage": check.stage || "pass" }, checkWords(check, this.#exercises)),
      el("div", { class: columns && "has-columns" }, ...sources(check.files)),
    );
  }
}

/** Returns how many columns of text a line takes, with tabs as the projector shows them. */
const width = (line: string): number => line.replaceAll("\t", "    ").length;

/** The line on the instructor's page that says what is projected. */
export class ProjectedNote {
  readonly root: HTMLElement;
  readonly #exercises: Exercises;
  readonly #what = el("span", {});

  constructor(exercises: Exercises, putAway: () => void) {
    this.#exercises = exercises;
    this.root = el(
      "p",
      { class: "room-controls room-projected", hidden: true },
      this.#what,
      button("ots-button for-instructor", putAway, "Hide it"),
    );
  }

  show({ projected }: Room): void {
    this.root.hidden = projected.code === "";
    if (this.root.hidden) return;
    const { title } = this.#exercises.get(projected.exercise);
    this.#what.textContent = `On the projector: code for ${title}, without a name.`;
  }
}
