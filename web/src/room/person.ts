// The dialog about one participant: what they handed in, and what the instructor can do.

import { button, el } from "../dom.ts";
import { headline } from "../verdict/words.ts";
import type { Room } from "../go/room.ts";
import type { Change } from "./api.ts";
import { CheckedCodes, type CheckedCodesOptions } from "./checked-code.ts";
import { submittedCode } from "./code.ts";
import { asking } from "./confirm.ts";
import { personSeat } from "./person-seat.ts";
import { figure, isMeasured, plural, sentence, stateOf } from "./words.ts";

export interface PersonOptions extends CheckedCodesOptions {
  change: (change: Change, done: string) => void;
  /** Returns the URL of the site as participants open it. */
  site: () => string;
}

export class Person {
  readonly root = el("dialog", { class: "room-dialog", "aria-labelledby": "room-person-name" });
  readonly #options: PersonOptions;
  /** The dialog covers the page's own line about the connection. */
  readonly #lost = el("p", { class: "room-connection", role: "status", hidden: true }, "The server does not answer.");
  readonly #codes: CheckedCodes;
  #id = "";

  constructor(options: PersonOptions) {
    this.#options = options;
    this.#codes = new CheckedCodes(options);
    this.root.addEventListener("click", (e) => {
      if (e.target === this.root) this.root.close(); // beside the dialog
    });
  }

  open(id: string, room: Room): void {
    this.#id = id;
    this.#draw(room);
    this.#codes.open(id, room);
    this.root.showModal();
  }

  connected(connected: boolean): void {
    this.#lost.hidden = connected;
  }

  /** Draws again what may have changed, unless somebody is about to press a button. */
  show(room: Room): void {
    if (!this.root.open) return;
    if (!room.participants.some(({ id }) => id === this.#id)) this.root.close();
    else this.#codes.show(room);
  }

  #draw(room: Room): void {
    const participant = room.participants.find(({ id }) => id === this.#id);
    if (!participant) return;
    const { name, work, hand } = participant;
    const { exercises, change } = this.#options;
    const begun = room.exercises.filter((id) => work[id] !== undefined);
    this.root.replaceChildren();
    this.root.append(
      el("h2", { id: "room-person-name", dir: "auto" }, name),
      this.#lost,
      el("p", { class: "room-up", hidden: hand === "" }, `Hand up at ${exercises.get(hand).title}`),
      begun.length === 0
        ? el("p", {}, "Nothing checked yet.")
        : el("ul", { class: "room-person-work" }, ...begun.map((id) => this.#work(id, room))),
      ...(room.helps ? [] : [personSeat({ ...this.#options, close: () => this.root.close() }, room, participant)]),
      this.#codes.root,
      el(
        "p",
        { class: "room-controls" },
        button("ots-button is-main", () => this.root.close(), "Close"),
        !room.helps &&
          asking(
            "Remove from the room",
            "What they handed in stays in the grades and the archive. You can let them back in below the grid.",
            "Remove",
            () => {
              this.root.close();
              change({ remove: this.#id }, "The participant is removed.");
            },
          ),
      ),
    );
  }

  #work(id: string, room: Room): HTMLElement {
    const work = room.participants.find((p) => p.id === this.#id)!.work[id]!;
    const { exercises, change, api } = this.#options;
    const { title, zero } = exercises.get(id);
    const said = el("p", { class: "room-note", role: "status" });
    const words = [
      stateOf(work).long,
      isMeasured(work, zero) ? figure(work).long : "",
      plural(work.attempts, "attempt"),
      work.hints > 0 ? plural(work.hints, "hint") : "",
    ];
    const verdict = async () => {
      const answer = await api.submission(room.room, work.last);
      if (answer.kind !== "ok")
        said.textContent = answer.kind === "refused" ? sentence(answer.message) : "The server does not answer.";
      else if (answer.value.verdict)
        said.textContent = `${headline(answer.value.verdict)}${answer.value.late ? ", late" : ""}`;
      else
        said.textContent = answer.value.why === "" ? `The state is ${answer.value.state}.` : sentence(answer.value.why);
    };
    return el(
      "li",
      {},
      el("h3", {}, title),
      el("p", {}, sentence(words.filter((part) => part !== "").join(", "))),
      work.last !== "" &&
        el(
          "p",
          { class: "room-controls" },
          button("ots-button", () => void verdict(), "Last verdict"),
          ...(room.helps
            ? []
            : [
              asking(
                "Share without the name",
                `Everybody in the room can then read this code${work.passed ? "" : ", which does not pass"}. ` +
                  "A comment in it may contain their name.",
                "Share it",
                () => {
                  const shown = `Code for ${title} is now shown to the room, without a name.`;
                  change({ share: work.best || work.last }, shown);
                  said.textContent =
                    "It is now shown to the room, without the name. You can stop sharing it below the exercises.";
                },
              ),
              button(
                "ots-button",
                () => {
                  change({ regrade: work.last }, `The last submission of ${title} is being graded again.`);
                  said.textContent = "It is being graded again.";
                },
                "Grade again",
              ),
              ]),
        ),
      said,
      work.last !== "" &&
        submittedCode(
          api,
          room.room,
          work.best || work.last,
          work.best === "" ? "The last submission" : "The best submission",
        ),
    );
  }
}
