// The instructor's page of one room: the grid, and what can be done with the room.

import { button, el } from "../dom.ts";
import type { Store } from "../store.ts";
import type { Room } from "../go/room.ts";
import { NO_DEADLINE, type Answer, type Change, type RoomAPI } from "./api.ts";
import { JoinAddress } from "./address.ts";
import { asking } from "./confirm.ts";
import type { Exercises } from "./data.ts";
import { ExerciseCards } from "./exercise-cards.ts";
import { Feed, type Connection, type Gone } from "./feed.ts";
import { Grid, ORDERS, type Order } from "./grid.ts";
import { HelpersLink } from "./helpers-link.ts";
import { Invite } from "./invite.ts";
import { MessageForm } from "./message-form.ts";
import { Person } from "./person.ts";
import { ProjectedNote } from "./projected.ts";
import { Projector } from "./projector.ts";
import { RemovedList } from "./removed-list.ts";
import { SharedList } from "./shared-list.ts";
import { deadlineWords, plural, renumberedWords, sentence, serverClock } from "./words.ts";

/** How often times such as "4 min" are written again. */
const TICK_MS = 10_000;

const LAST_STATE = "The server does not answer. What you see is the last state; this page tries again by itself.";
const FULL =
  "The server's disk is full, and nothing is stored. Free space on it: the server goes on by itself, and what is " +
  "handed in waits in the browsers.";
const NO_STATE = "The server does not answer. This page tries again by itself.";

/** How long it is said that something was done. */
const SAID_MS = 15_000;

const FILES: [name: string, label: string][] = [
  ["grades.csv", "Grades as CSV"],
  ["grades.json", "Grades as JSON"],
  ["archive.zip", "All that was handed in, as ZIP"],
];

/** Documents for systems that grade, one for each participant. */
const FORMATS: [name: string, label: string][] = [
  ["grades/junit.zip", "JUnit"],
  ["grades/gradescope.zip", "Gradescope"],
  ["grades/exercism.zip", "Exercism"],
];

export interface RoomViewOptions {
  api: RoomAPI;
  code: string;
  root: string;
  store: Store;
  exercises: Exercises;
  heading: HTMLElement;
  /** Called when the room cannot be shown, with the reason as a sentence. */
  onGone: (why: Gone) => void;
  /** Called when this page has deleted the room. */
  onDeleted: () => void;
}

export class RoomView {
  readonly root = el("div", { class: "room-view" });
  readonly #options: RoomViewOptions;
  readonly #address: JoinAddress;
  readonly #feed: Feed;
  readonly #grid: Grid;
  readonly #cards: ExerciseCards;
  readonly #person: Person;
  readonly #ticking: ReturnType<typeof setInterval>;
  readonly #summary = el("p", { class: "room-summary" });
  /** Stays in its place whatever is shown below it, and on the screen while that scrolls. */
  readonly #connection = el("p", { class: "room-connection", hidden: true });
  readonly #helpers: HelpersLink;
  readonly #full = el("p", { class: "room-connection", role: "alert", hidden: true }, FULL);
  readonly #content = el("div", {});
  readonly #hands = el("ul", { class: "room-hands", "aria-label": "Raised hands" });
  readonly #invite: Invite;
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #said = el("p", { class: "room-said", role: "status" });
  readonly #empty = el("p", { class: "room-empty" }, "Nobody has joined yet. The rows appear by themselves.");
  readonly #open = el("div", {});
  readonly #reopen = el("div", {});
  readonly #removed: RemovedList;
  readonly #shared: SharedList;
  readonly #message: MessageForm;
  readonly #projected: ProjectedNote;
  readonly #deadline = el("input", { type: "datetime-local", "aria-label": "Deadline" });
  #projector: Projector | null = null;
  #room: Room | null = null;
  #clock = (): number => Date.now();
  #order: Order = "name";
  #title = "";
  #saying: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RoomViewOptions) {
    this.#options = options;
    const { api, code, exercises, store, root } = options;
    const change = (change: Change, done: string) => void this.#change(change, done);
    this.#address = new JoinAddress(store, root);
    this.#invite = new Invite({
      code,
      address: this.#address,
      plans: exercises.plans,
      onChoice: () => this.#drawAddress(),
    });
    const putAway = () => this.#apply(api.putAway(code), "The code is not on the projector any more.");
    this.#person = new Person({
      api,
      exercises,
      change,
      project: (name) => this.#apply(api.project(code, name), "The code is on the projector, without the name."),
      putAway,
    });
    this.#projected = new ProjectedNote(exercises, () => void putAway());
    this.#message = new MessageForm({
      send: async (text, minutes) => (await this.#apply(api.tell(code, text, minutes), "The message is shown.")) === "",
      remove: () => void this.#apply(api.removeMessage(code), "The message is removed."),
      say: (words) => this.#say(words, true),
    });
    this.#grid = new Grid(exercises, (id) => this.#room && this.#person.open(id, this.#room));
    this.#cards = new ExerciseCards({ exercises, change, spread: () => true });
    this.#removed = new RemovedList((id, name) => change({ restore: id }, `${name} is back in the room.`));
    this.#shared = new SharedList({
      api,
      code,
      exercises,
      unshare: (id, title) => change({ unshare: id }, `Code for ${title} is no longer shown to the room.`),
    });
    this.#helpers = new HelpersLink(root);
    this.#layOut();
    this.#feed = new Feed({
      api,
      code,
      onRoom: (room) => this.#show(room),
      onConnection: (connection) => this.#showConnection(connection),
      onGone: ({ message, wrongToken }) => {
        this.stop();
        options.onGone({ message: sentence(message.replace(/\.$/, "")), wrongToken });
      },
      whileHidden: true,
    });
    this.#ticking = setInterval(() => this.#draw(), TICK_MS);
  }

  stop(): void {
    this.#feed.stop();
    clearInterval(this.#ticking);
    clearTimeout(this.#saying);
    this.#person.root.close();
    this.#projector?.stop();
  }

  /** Shows the view for a projector, or the grid. */
  project(on: boolean): void {
    const { code, exercises, api } = this.#options;
    this.#projector?.stop();
    this.#projector = on ? new Projector(code, this.#address, exercises, api) : null;
    document.documentElement.classList.toggle("is-projected", on);
    this.#content.replaceChildren(...(this.#projector ? [this.#projector.root] : this.#parts));
    scrollTo(0, 0);
    this.#draw();
  }

  #parts: HTMLElement[] = [];

  #layOut(): void {
    const { code } = this.#options;
    const order = el(
      "select",
      { "aria-label": "Order of the rows" },
      ...Object.entries(ORDERS).map(([value, words]) => el("option", { value }, words)),
    );
    order.addEventListener("change", () => {
      this.#order = order.value as Order;
      this.#draw();
    });
    this.#parts = [
      el("div", { class: "room-top" }, el("div", {}, this.#summary, this.#hands), this.#invite.root),
      this.#said,
      this.#projected.root,
      el(
        "section",
        { class: "room-section", "aria-label": "Participants" },
        el(
          "div",
          { class: "room-section-head" },
          el("h2", {}, "Participants"),
          el("label", { class: "room-order" }, "Order ", order),
        ),
        el(
          "p",
          { class: "room-hint" },
          "2 / 1: allocs/op of what was checked or handed in last, or passed, against the target. 104 B / 72: bytes " +
            "that stay in use, where those have a target. 3×: attempts. 1?: opened hints. 4 min: time since the last " +
            "change, bold after ten minutes without a pass. ✓ and ✗: graded by this server. Press a name for more.",
        ),
        this.#empty,
        this.#grid.root,
        this.#removed.root,
      ),
      this.#message.root,
      el("section", { class: "room-section", "aria-label": "Exercises" }, el("h2", {}, "Exercises"), this.#cards.root),
      this.#shared.root,
      this.#deadlines(),
      el(
        "section",
        { class: "room-section for-instructor", "aria-label": "Grades" },
        el("h2", {}, "Grades"),
        el(
          "p",
          { class: "room-controls" },
          ...FILES.map(([name, label]) => button("ots-button", () => void this.#download(name), label)),
        ),
        el(
          "p",
          { class: "room-controls" },
          el("span", {}, "Documents for other systems:"),
          ...FORMATS.map(([name, label]) => button("ots-button", () => void this.#download(name), label)),
        ),
        el(
          "p",
          { class: "room-hint" },
          "The best submission counts, as graded by this server: a late pass before a failure in time, and of equal " +
            "ones the one in time.",
        ),
      ),
      this.#helpers.root,
      this.#ending(),
      this.#person.root,
    ];
    this.#content.replaceChildren(...this.#parts);
    this.root.append(this.#connection, this.#full, this.#content, this.#live);
    this.root.dataset["code"] = code;
  }

  #deadlines(): HTMLElement {
    const set = (at: number) => this.#change({ deadline: new Date(at).toISOString() }, "The deadline is set.");
    const form = el(
      "form",
      { class: "room-controls" },
      this.#deadline,
      el("button", { class: "ots-button", type: "submit" }, "Set"),
      ...[10, 30].map((minutes) =>
        button("ots-button", () => void set(this.#clock() + minutes * 60_000), `In ${minutes} min`),
      ),
      button("ots-button", () => void this.#change({ deadline: NO_DEADLINE }, "The deadline is removed."), "None"),
    );
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const at = new Date(this.#deadline.value).getTime();
      if (Number.isFinite(at)) void set(at);
      else this.#say("Choose a day and a time first.");
    });
    return el(
      "section",
      { class: "room-section for-instructor", "aria-label": "Deadline" },
      el("h2", {}, "Deadline"),
      form,
      el("p", { class: "room-hint" }, "Later submissions are marked as late, and graded all the same."),
    );
  }

  #ending(): HTMLElement {
    const { api, code, onDeleted } = this.#options;
    this.#open.append(
      asking(
        "End the room",
        "Nobody can join or hand in any more. What was handed in before may still arrive for a quarter of an hour. " +
          "The page and the grades stay, and you can open the room again.",
        "End it",
        () => {
          void this.#change({ end: true }, "The room has ended.");
        },
      ),
    );
    this.#reopen.append(
      button("ots-button", () => void this.#change({ reopen: true }, "The room is open again."), "Open the room again"),
    );
    return el(
      "section",
      { class: "room-section for-instructor", "aria-label": "The end" },
      el("h2", {}, "The end"),
      el(
        "div",
        { class: "room-controls" },
        this.#open,
        this.#reopen,
        asking(
          "Delete the room",
          "This deletes names, submissions and grades for good. Download the grades first. Their text stays in the " +
            "server's files until the server is stopped.",
          "Delete it",
          () => {
            void api.delete(code).then((answer) => {
              if (answer.kind !== "ok") return this.#fail(answer);
              this.stop();
              onDeleted();
            });
          },
        ),
      ),
    );
  }

  #drawAddress(): void {
    this.#invite.draw();
    this.#projector?.drawJoin();
  }

  #show(room: Room): void {
    const before = this.#room;
    this.#room = room;
    if (this.#address.offer(room.sites)) this.#drawAddress();
    this.#full.hidden = !room.readOnly;
    this.root.classList.toggle("is-helping", room.helps);
    this.#helpers.show(room);
    this.#clock = serverClock(room);
    if (room.deadline !== before?.deadline && document.activeElement !== this.#deadline)
      this.#deadline.value = localTime(Date.parse(room.deadline));
    if (before) this.#announce(before, room);
    this.#draw();
  }

  /**
   * Only a raised hand is announced: a class makes too many other changes to be read out. In front of the class its
   * name is not.
   */
  #announce(before: Room, room: Room): void {
    if (this.#projector) return;
    const up = new Map(before.participants.map(({ id, hand }) => [id, hand]));
    const words = room.participants
      .filter(({ id, hand }) => hand !== "" && up.get(id) !== hand)
      .map(({ name, hand }) => `${name} raised a hand in ${this.#options.exercises.get(hand).title}.`);
    if (words.length > 0) this.#live.textContent = words.join(" ");
  }

  #draw(): void {
    const room = this.#room;
    if (!room) return;
    const { heading, exercises } = this.#options;
    const now = this.#clock();
    const up = room.participants.filter(({ hand }) => hand !== "");
    if (heading.textContent !== room.title) heading.textContent = room.title;
    heading.setAttribute("dir", "auto");
    // A raised hand is seen in the tab's title, too.
    const title = `${up.length > 0 ? `(${up.length}) ` : ""}${room.title} · On the Stack`;
    if (title !== this.#title) document.title = this.#title = title;
    if (this.#projector) return this.#projector.show(room, now);
    const words = [
      plural(room.participants.length, "participant"),
      up.length > 0 ? plural(up.length, "raised hand") : "",
    ];
    set(
      this.#summary,
      `Room ${room.room}. ${words.filter((part) => part !== "").join(", ")}. ` +
        `${deadlineWords(room, now)} ${renumberedWords(room)}`.trim(),
    );
    this.#drawHands(up.map(({ id, name, hand }) => ({ id, name, at: exercises.get(hand).title })));
    this.#empty.hidden = room.participants.length > 0;
    this.#grid.root.hidden = room.participants.length === 0;
    this.#grid.show(room, now, this.#order);
    this.#cards.show(room);
    this.#person.show(room);
    this.#open.hidden = room.ended;
    this.#reopen.hidden = !room.ended;
    this.#removed.show(room.removed);
    this.#shared.show(room.shared);
    this.#message.show(room);
    this.#projected.show(room);
    this.#invite.root.hidden = room.ended;
  }

  #drawHands(hands: { id: string; name: string; at: string }[]): void {
    const shown = JSON.stringify(hands);
    this.#hands.hidden = hands.length === 0;
    if (this.#hands.dataset["shown"] === shown) return;
    this.#hands.dataset["shown"] = shown;
    this.#hands.replaceChildren(
      ...hands.map(({ id, name, at }) =>
        el(
          "li",
          {},
          el("span", { class: "room-mark", "aria-hidden": "true" }, "hand"),
          button("room-person", () => this.#room && this.#person.open(id, this.#room), el("bdi", {}, name)),
          ` at ${at} `,
          button(
            "ots-button is-quiet",
            () => void this.#change({ lower: id }, `The hand of ${name} is down.`),
            "Lower",
            el("span", { class: "ots-unseen" }, ` the hand of ${name}`),
          ),
        ),
      ),
    );
  }

  #showConnection(connection: Connection): void {
    const was = this.#connection.hidden;
    this.#connection.hidden = connection !== "lost";
    set(this.#connection, this.#room ? LAST_STATE : NO_STATE);
    this.#person.connected(connection !== "lost");
    if (was !== this.#connection.hidden)
      this.#live.textContent = connection === "lost" ? "The server does not answer." : "The server answers again.";
  }

  async #change(change: Change, done: string): Promise<void> {
    await this.#apply(this.#options.api.change(this.#options.code, change), done);
  }

  /** Shows the room as a change has made it, and what was done. Resolves to what went wrong, or to "". */
  async #apply(changed: Promise<Answer<Room>>, done: string): Promise<string> {
    const answer = await changed;
    if (answer.kind !== "ok") {
      this.#fail(answer);
      return this.#said.textContent;
    }
    this.#say(done);
    this.#show(answer.value);
    return "";
  }

  async #download(name: string): Promise<void> {
    const { api, code } = this.#options;
    const answer = await api.file(code, name);
    if (answer.kind !== "ok") return this.#fail(answer);
    const href = URL.createObjectURL(answer.value);
    const file = `${code}-${name.replace("/", "-")}`;
    const link = el("a", { href, download: file });
    link.click();
    // The browser has begun to read it by then.
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
    this.#say(`${file} is downloaded.`);
  }

  #fail(answer: Exclude<Answer<unknown>, { kind: "ok" }>): void {
    this.#say(
      answer.kind === "refused"
        ? sentence(answer.message)
        : "The server does not answer. Nothing has changed: try again.",
      true,
    );
  }

  /** Shows words, which go after a while unless they are about a problem. */
  #say(words: string, problem = false): void {
    clearTimeout(this.#saying);
    if (!problem) this.#saying = setTimeout(() => (this.#said.textContent = ""), SAID_MS);
    this.#said.textContent = words;
    this.#said.classList.toggle("is-problem", problem);
  }
}

function set(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Returns a time as an input of the type datetime-local has it; "" if it is none. */
function localTime(at: number): string {
  if (!Number.isFinite(at)) return "";
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
