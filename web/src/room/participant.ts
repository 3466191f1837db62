// A participant's page of a room: their own state in each exercise, and their hand.

import { button, el } from "../dom.ts";
import type { Store } from "../store.ts";
import type { Room, Work } from "../go/room.ts";
import { RoomAPI } from "./api.ts";
import { grouped } from "./typed.ts";
import { submittedCode } from "./code.ts";
import type { Exercises } from "./data.ts";
import { Countdown } from "./countdown.ts";
import { Feed, type Connection } from "./feed.ts";
import { MessageBox } from "./message.ts";
import { opensAgain, Outbox } from "./outbox.ts";
import { PartnerSection } from "./partner.ts";
import { PollPlace } from "./poll-place.ts";
import { place, reconcile } from "./redraw.ts";
import type { Seat } from "./seat.ts";
import { loadSeatMore } from "./seat-more.ts";
import { sharedWords } from "./shared-line.ts";
import { SharedList } from "./shared-list.ts";
import {
  ago,
  deadlineWords,
  figure,
  isMeasured,
  lateWords,
  plural,
  refusalWords,
  renumberedWords,
  SEES_CODE,
  sentence,
  serverClock,
  stateOf,
} from "./words.ts";

const PREVIEW =
  "This is a preview: the room as a participant sees it. What you do here does not appear in the grid, the grades " +
  "or the archive.";

/** How often times such as "4 min ago" are written again. */
const TICK_MS = 20_000;

export interface ParticipantOptions {
  root: string;
  seat: Seat;
  store: Store;
  exercises: Exercises;
  heading: HTMLElement;
  /** Called when the participant leaves the room in this browser, or has no place in it any more. */
  onLeave: (why: string) => void;
}

/** The words for a standing, or for the stage at which the last check ended. */
const CHIPS: Record<string, string> = {
  none: "not started",
  grading: "being graded",
  near: "over its target",
  checked: "passed here",
  refused: "did not pass",
  policy: "not allowed",
  build: "does not compile",
  tests: "fails a test",
};

interface Row {
  root: HTMLElement;
  chip: HTMLElement;
  figures: HTMLElement;
  note: HTMLElement;
  /** The files that were handed in, to be read. */
  sent: HTMLElement;
  hand: HTMLButtonElement;
}

export class ParticipantPage {
  readonly root: HTMLElement;
  readonly #options: ParticipantOptions;
  readonly #api: RoomAPI;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  readonly #countdown = new Countdown();
  readonly #renumbered = el("span", {});
  readonly #connection = el("p", { class: "room-connection", hidden: true });
  readonly #list = el("ol", { class: "room-mine" });
  readonly #name = el("bdi", { class: "room-name" });
  readonly #partner: PartnerSection;
  readonly #shared: SharedList;
  readonly #poll: PollPlace;
  readonly #message: MessageBox;
  readonly #told = el("p", { class: "room-told", hidden: true }, SEES_CODE);
  readonly #problem = el("p", { class: "room-problem", role: "alert" });
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #rows = new Map<string, Row>();
  /** The reasons why submissions could not be graded, by their IDs. */
  readonly #whys = new Map<string, string>();
  readonly #ticking: ReturnType<typeof setInterval>;
  #room: Room | null = null;
  #clock = (): number => Date.now();

  constructor(options: ParticipantOptions) {
    this.#options = options;
    const { root, seat, store, heading } = options;
    const more = loadSeatMore(store, seat);
    this.#api = new RoomAPI(root, seat.token);
    this.#shared = new SharedList({ api: this.#api, code: seat.room, exercises: options.exercises, unshare: null });
    this.#name.textContent = seat.name;
    this.#partner = new PartnerSection(this.#api, root, seat, more.partner, (room) => this.#show(room));
    this.#poll = new PollPlace({
      answer: async (number, answer) => refusalWords(await this.#api.answer(seat.room, number, answer)),
    });
    this.#message = new MessageBox(store);
    heading.before(this.#message.root);
    heading.textContent = seat.title;
    heading.setAttribute("dir", "auto");
    this.root = el(
      "div",
      { class: "room-participant" },
      el(
        "p",
        { class: "room-who" },
        "Room ",
        el("b", { class: "room-code" }, seat.room),
        ". You are ",
        this.#name,
        ".",
      ),
      more.preview && el("p", { class: "room-preview" }, PREVIEW),
      el("p", { class: "room-deadline" }, this.#countdown.root, " ", this.#renumbered),
      this.#connection,
      this.#problem,
      this.#poll.root,
      el(
        "p",
        { class: "room-how" },
        "Open an exercise and press Check. The instructor sees how far you are and whether your page is " +
          "open, and a solution that passes is handed in automatically.",
      ),
      this.#told,
      this.#list,
      this.#shared.root,
      this.#partner.root,
      this.#elsewhere(),
      this.#live,
    );
    this.#outbox = new Outbox({ store, api: this.#api, seat, onChange: () => this.#draw() });
    this.#feed = new Feed({
      api: this.#api,
      code: seat.room,
      onRoom: (room) => this.#show(room),
      onConnection: (connection) => this.#showConnection(connection),
      onGone: ({ message }) => this.#gone(message),
      whileHidden: false,
    });
    this.#ticking = setInterval(() => this.#draw(), TICK_MS);
  }

  /** Ends the page's work. */
  stop(): void {
    this.#feed.stop();
    this.#outbox.stop();
    this.#countdown.stop();
    this.#message.stop();
    clearInterval(this.#ticking);
  }

  #elsewhere(): HTMLElement {
    const { seat } = this.#options;
    return el(
      "details",
      { class: "room-again" },
      el("summary", {}, "Continue in another browser"),
      el(
        "p",
        {},
        "Open this page there, choose “I have joined this room before”, and type the code ",
        el("b", { class: "room-code" }, seat.room),
        " and your key ",
        el("b", { class: "room-key" }, grouped(seat.token)),
        ". Keep the key to yourself: anybody who has it can hand in under your name.",
      ),
      el(
        "p",
        {},
        "Your code stays in the browser in which you wrote it. What you handed in can be read here, and opened in the " +
          "editor.",
      ),
      el(
        "p",
        {},
        button("ots-button", () => this.#leave(), "Leave the room in this browser"),
      ),
    );
  }

  #leave(): void {
    this.stop();
    this.#options.onLeave("");
  }

  #gone(message: string): void {
    this.stop();
    this.#options.onLeave(message);
  }

  #showConnection(connection: Connection): void {
    this.#connection.hidden = connection !== "lost";
    this.#connection.textContent = "The server does not answer. This page tries again by itself, and nothing is lost.";
  }

  #show(room: Room): void {
    const before = this.#room;
    this.#room = room;
    this.#clock = serverClock(room);
    this.#options.heading.textContent = room.title;
    this.#name.textContent = room.participants[0]?.name ?? this.#options.seat.name;
    this.#partner.show(room);
    this.#message.show(room);
    this.#told.hidden = !room.seesCode;
    this.#problem.textContent = "";
    this.#poll.show(room);
    if (before) this.#announce(before, room);
    if (before && opensAgain(before, room)) this.#outbox.again();
    this.#draw();
  }

  /** Tells a screen reader what the server has graded, and what the instructor has changed. */
  #announce(before: Room, room: Room): void {
    const words: string[] = [];
    for (const id of room.exercises) {
      const was = stateOf(before.participants[0]?.work[id]);
      const is = stateOf(room.participants[0]?.work[id]);
      const graded = ["passed", "refused", "failed"].includes(is.standing);
      if (graded && was.long !== is.long) words.push(`${this.#options.exercises.get(id).title}: ${is.long}`);
    }
    if (room.deadline !== before.deadline || room.ended !== before.ended)
      words.push(deadlineWords(room, this.#clock()) || "The deadline has been removed.");
    const added = room.shared.filter(({ id }) => !before.shared.some((s) => s.id === id));
    if (added.length > 0) words.push(sharedWords(added));
    if (words.length > 0) this.#live.textContent = words.join(" ");
  }

  #draw(): void {
    const room = this.#room;
    if (!room) return;
    this.#countdown.show(room, this.#clock);
    this.#renumbered.textContent = renumberedWords(room);
    const own = room.participants[0];
    const rows = reconcile(this.#rows, room.exercises, (id) => this.#row(id));
    rows.forEach((row, i) => {
      const id = room.exercises[i]!;
      this.#drawRow(row, id, own?.work[id], own?.hand === id, room);
    });
    place(this.#list, rows);
    this.#shared.show(room.shared);
  }

  #row(id: string): Row {
    const known = this.#options.exercises.get(id);
    const chip = el("span", { class: "room-chip" });
    const figures = el("p", { class: "room-figures" });
    const note = el("p", { class: "room-note" });
    const sent = el("div", { class: "room-sent" });
    const hand = button("ots-button room-hand", () => void this.#raise(id), "Raise a hand");
    hand.setAttribute("aria-label", `Raise a hand in ${known.title}`);
    const title = known.href === "" ? known.title : el("a", { href: known.href }, known.title);
    const root = el(
      "li",
      {},
      el(
        "div",
        { class: "room-mine-head" },
        known.number > 0 && el("span", { class: "room-number" }, `Exercise ${known.number}`),
        el("h2", {}, title),
        chip,
      ),
      figures,
      note,
      sent,
      hand,
    );
    return { root, chip, figures, note, sent, hand };
  }

  #drawRow(
    { root, chip, figures, note, sent, hand }: Row,
    id: string,
    work: Work | undefined,
    raised: boolean,
    room: Room,
  ): void {
    const state = stateOf(work);
    root.dataset["standing"] = state.standing;
    chip.textContent = CHIPS[work?.stage && state.standing === "early" ? work.stage : state.standing] ?? state.short;
    figures.textContent = work ? this.#figures(work, this.#options.exercises.get(id).zero) : "";
    figures.hidden = figures.textContent === "";
    note.textContent = this.#note(id, work, room);
    note.hidden = note.textContent === "";
    this.#drawSent(sent, id, work);
    hand.setAttribute("aria-pressed", String(raised));
    hand.textContent = raised ? "Your hand is up: lower it" : "Raise a hand";
    hand.setAttribute("aria-label", `${hand.textContent}, ${this.#options.exercises.get(id).title}`);
    hand.hidden = room.ended;
  }

  /** Shows the best and the last submission, closed; what is open stays so as long as they are the same. */
  #drawSent(sent: HTMLElement, exercise: string, work: Work | undefined): void {
    const { best = "", last = "" } = work ?? {};
    if (sent.dataset["shown"] === `${best} ${last}`) return;
    sent.dataset["shown"] = `${best} ${last}`;
    const { room } = this.#options.seat;
    const show = (id: string, label: string) => submittedCode(this.#api, room, id, label, exercise);
    sent.replaceChildren(
      ...(best === "" || best === last ? [] : [show(best, "Your best submission, which counts")]),
      ...(last === "" ? [] : [show(last, best === last ? "Your submission" : "Your last submission")]),
    );
  }

  #figures(work: Work, zero: boolean): string {
    const changed = Date.parse(work.changed);
    return [
      isMeasured(work, zero) ? figure(work).long : "",
      work.attempts > 0 ? plural(work.attempts, "attempt") : "",
      work.hints > 0 ? plural(work.hints, "hint") : "",
      Number.isFinite(changed) && work.attempts > 0 ? ago(this.#clock() - changed) : "",
    ]
      .filter((part) => part !== "")
      .join(" · ");
  }

  #note(id: string, work: Work | undefined, room: Room): string {
    const waiting = this.#outbox.waiting(id);
    if (waiting && waiting.refused !== "") return `Your code was not accepted: ${waiting.refused}.`;
    if (waiting) return "Your code is kept in this browser, and sent as soon as the server answers.";
    const { standing, long } = stateOf(work);
    if (standing === "failed") return this.#whyFailed(work!.last);
    const words =
      standing === "passed"
        ? `Handed in and graded${work!.late ? `, ${lateWords(work!)}` : ""}.`
        : ["grading", "refused", "checked"].includes(standing)
          ? sentence(long)
          : "";
    if (room.closed.includes(id) && !room.ended)
      return `${words}${words && " "}The instructor has closed this exercise: nothing more can be handed in.`;
    return words;
  }

  /** Returns why a submission could not be graded. The room does not have the reason, so it is asked for once. */
  #whyFailed(id: string): string {
    const known = this.#whys.get(id);
    if (known === undefined) {
      this.#whys.set(id, "");
      void this.#api.submission(this.#options.seat.room, id).then((answer) => {
        if (answer.kind !== "ok" || answer.value.why === "") return;
        this.#whys.set(id, answer.value.why);
        this.#draw();
      });
    }
    const why = known ? ` ${sentence(known)}` : "";
    return `The server could not grade your submission. It is kept, and does not count against you.${why}`;
  }

  async #raise(id: string): Promise<void> {
    const { seat } = this.#options;
    const raised = this.#room?.participants[0]?.hand === id;
    this.#problem.textContent = refusalWords(await this.#api.hand(seat.room, id, !raised));
  }
}
