// The code of a participant's last check of each exercise, in a room whose instructor sees it. It follows the
// participant: code that is unfolded is fetched again after each check.

import { button, el } from "../dom.ts";
import { Work, type CheckedCode, type Room } from "../go/room.ts";
import { read } from "../json.ts";
import type { CheckName, RoomAPI } from "./api.ts";
import { sources } from "./code.ts";
import { asking } from "./confirm.ts";
import type { Exercises } from "./data.ts";
import { place, reconcile } from "./redraw.ts";
import { ago, figure, isMeasured, refusalWords, sentence, serverClock, stageWords } from "./words.ts";

export interface CheckedCodesOptions {
  api: RoomAPI;
  exercises: Exercises;
  /** Projects the code. Resolves to what went wrong, or to "". */
  project: (name: CheckName) => Promise<string>;
  /** Removes the code from the projector. Resolves to what went wrong, or to "". */
  putAway: () => Promise<string>;
}

export class CheckedCodes {
  readonly root = el("section", { class: "room-checked", "aria-label": "Code at the last check", hidden: true });
  readonly #options: CheckedCodesOptions;
  readonly #list = el("div", {});
  readonly #items = new Map<string, Item>();
  #participant = "";

  constructor(options: CheckedCodesOptions) {
    this.#options = options;
    this.root.append(el("h3", {}, "Code at the last check"), this.#list);
  }

  /** Shows another participant. The exercise that changed last is open. */
  open(participant: string, room: Room): void {
    this.#participant = participant;
    this.#items.clear();
    this.#list.replaceChildren();
    this.show(room);
    const work = room.participants.find(({ id }) => id === participant)?.work ?? {};
    const at = ([, { changed }]: [string, { changed: string }]) => Date.parse(changed);
    const [last] = Object.entries(work)
      .filter(([id]) => this.#items.has(id))
      .sort((a, b) => at(b) - at(a));
    if (last) this.#items.get(last[0])!.root.open = true;
  }

  show(room: Room): void {
    const work = room.participants.find(({ id }) => id === this.#participant)?.work ?? {};
    const shown = room.exercises.filter((id) => work[id]?.code);
    const items = reconcile(this.#items, shown, (id) => new Item(this.#options, this.#participant, id));
    items.forEach((item, i) => item.show(work[shown[i]!]!.code, room));
    place(this.#list, items);
    this.root.hidden = this.#items.size === 0;
  }
}

/** One exercise. */
class Item {
  readonly root = el("details", { class: "room-submitted" });
  readonly #options: CheckedCodesOptions;
  readonly #participant: string;
  readonly #exercise: string;
  readonly #verdict = el("p", {});
  readonly #files = el("div", { class: "room-code-files" });
  readonly #project: HTMLElement;
  readonly #projected: HTMLElement;
  readonly #where = el("span", {});
  readonly #problem = el("p", { class: "room-problem", role: "alert" });
  /** The ID of the newest code. */
  #code = "";
  #room: Room | null = null;
  /** What is shown. */
  #shown: CheckedCode | null = null;
  #asking = false;

  constructor(options: CheckedCodesOptions, participant: string, exercise: string) {
    this.#options = options;
    this.#participant = participant;
    this.#exercise = exercise;
    const said = (wrong: Promise<string>) => void wrong.then((words) => (this.#problem.textContent = words));
    this.#project = asking(
      "Project without the name",
      "The class will see this code on the projector. A comment in it may contain the name, so read it first.",
      "Project it",
      () => said(options.project({ participant, exercise, code: this.#shown?.code ?? "" })),
    );
    this.#projected = el(
      "span",
      { class: "room-projected" },
      this.#where,
      button("ots-button", () => said(options.putAway()), "Hide it"),
    );
    this.root.append(
      el("summary", {}, options.exercises.get(exercise).title),
      this.#verdict,
      el("div", { class: "room-controls" }, this.#project, this.#projected),
      this.#problem,
      this.#files,
    );
    this.root.addEventListener("toggle", () => void this.#fetch());
  }

  show(code: string, room: Room): void {
    this.#code = code;
    this.#room = room;
    this.#draw();
    void this.#fetch();
  }

  async #fetch(): Promise<void> {
    const room = this.#room;
    if (!room || !this.root.open || this.#asking || this.#shown?.code === this.#code) return;
    this.#asking = true;
    const wanted = this.#code;
    const answer = await this.#options.api.checkedCode(room.room, this.#participant, this.#exercise);
    this.#asking = false;
    if (answer.kind !== "ok") {
      // The room's next state asks again.
      this.#problem.textContent = refusalWords(answer);
      return;
    }
    this.#problem.textContent = "";
    this.#shown = answer.value;
    const tops = [...this.#files.querySelectorAll("pre")].map((pre) => pre.scrollTop);
    this.#files.replaceChildren(...sources(answer.value.files));
    this.#files.querySelectorAll("pre").forEach((pre, i) => (pre.scrollTop = tops[i] ?? 0));
    this.#draw();
    if (wanted !== this.#code) void this.#fetch(); // it was checked again meanwhile
  }

  #draw(): void {
    const [room, shown] = [this.#room, this.#shown];
    if (!room) return;
    const { projected } = room;
    const mine = projected.participant === this.#participant && projected.exercise === this.#exercise;
    this.#projected.hidden = room.helps || !mine;
    this.#where.textContent =
      projected.code === shown?.code ? "It is on the projector. " : "An earlier check of it is on the projector. ";
    this.#project.hidden = room.helps || room.ended || !shown || projected.code === shown.code;
    if (!shown) return;
    const when = ago(serverClock(room)() - Date.parse(shown.checked));
    this.#verdict.textContent = `${checkWords(shown, this.#options.exercises)} Checked ${when}.`;
  }
}

/**
 * Returns what a check showed, as a sentence: "This code is over its target, as the page reported: 2 allocs/op,
 * target 1." The participant's page has reported it, and no server has graded it.
 */
export function checkWords(check: CheckedCode, exercises: Exercises): string {
  const work = read(Work, { ...check, of: "check" })!;
  const measured = isMeasured(work, exercises.get(check.exercise).zero);
  const figures = measured ? `: ${figure(work).long}` : "";
  return sentence(`this code ${stageWords(check.stage)}, as the page reported${figures}`);
}
