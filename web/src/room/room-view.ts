// The instructor's page of one room: the grid, and what can be done with the room.

import { el } from "../dom.ts";
import type { Store } from "../store.ts";
import type { Room } from "../go/room.ts";
import type { Answer, Change, RoomAPI } from "./api.ts";
import { JoinAddress } from "./address.ts";
import { Countdown } from "./countdown.ts";
import type { Exercises } from "./data.ts";
import { DeadlineForm } from "./deadline-form.ts";
import { Ending } from "./ending.ts";
import { ExerciseCards } from "./exercise-cards.ts";
import { Feed, type Connection, type Gone } from "./feed.ts";
import { Fold } from "./fold.ts";
import { gradesSection, saveFile } from "./grades.ts";
import { HelpersLink } from "./helpers-link.ts";
import { Invite } from "./invite.ts";
import { jumps } from "./jumps.ts";
import { MessageForm } from "./message-form.ts";
import { NeedsHelp } from "./needs-help.ts";
import { Person } from "./person.ts";
import { previewButton } from "./person-seat.ts";
import { PollsPlace } from "./polls-place.ts";
import { connectedWords } from "./presence.ts";
import { ProjectedNote } from "./projected.ts";
import { Projector } from "./projector.ts";
import { RemovedList } from "./removed-list.ts";
import { RoomSettings } from "./room-settings.ts";
import { Roster } from "./roster.ts";
import { setText } from "./set-text.ts";
import { SharedList } from "./shared-list.ts";
import { plural, renumberedWords, sentence, serverClock } from "./words.ts";

/** How often times such as "4 min" are written again. */
const TICK_MS = 10_000;

const LAST_STATE = "The server does not answer. What you see is the last state; this page tries again by itself.";
const FULL =
  "The server's disk is full, and nothing is stored. Free space on it: the server then continues by itself. " +
  "Until then, what is handed in waits in the browsers.";
const NO_STATE = "The server does not answer. This page tries again by itself.";

/** How long it is said that something was done. */
const SAID_MS = 15_000;

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
  readonly #roster: Roster;
  readonly #cards: ExerciseCards;
  readonly #person: Person;
  readonly #ticking: ReturnType<typeof setInterval>;
  readonly #summary = el("span", { class: "room-summary" });
  /** Stays in its place whatever is shown below it, and on the screen while that scrolls. */
  readonly #connection = el("p", { class: "room-connection", hidden: true });
  readonly #helpers: HelpersLink;
  readonly #full = el("p", { class: "room-connection", role: "alert", hidden: true }, FULL);
  readonly #content = el("div", {});
  readonly #countdown = new Countdown();
  readonly #renumbered = el("span", {});
  readonly #help: NeedsHelp;
  readonly #fold: Fold;
  readonly #invite: Invite;
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #said = el("p", { class: "room-said", role: "status" });
  readonly #ending: Ending;
  readonly #removed: RemovedList;
  readonly #shared: SharedList;
  readonly #settings: RoomSettings;
  readonly #polls: PollsPlace;
  readonly #message: MessageForm;
  readonly #projected: ProjectedNote;
  readonly #deadline: DeadlineForm;
  #projector: Projector | null = null;
  #room: Room | null = null;
  #clock = (): number => Date.now();
  #title = "";
  #saying: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RoomViewOptions) {
    this.#options = options;
    const { api, code, exercises, store, root } = options;
    const change = (change: Change, done: string) => void this.#change(change, done);
    const open = (id: string) => this.#room && this.#person.open(id, this.#room);
    this.#address = new JoinAddress(store, root);
    this.#fold = new Fold(store, code, () => this.#drawFolded());
    this.#invite = new Invite({
      code,
      address: this.#address,
      plans: exercises.plans,
      fold: this.#fold,
      onChoice: () => this.#drawAddress(),
    });
    const putAway = () => this.#apply(api.putAway(code), "The code is no longer on the projector.");
    this.#person = new Person({
      api,
      exercises,
      change,
      site: () => this.#address.site ?? root,
      project: (name) => this.#apply(api.project(code, name), "The code is on the projector, without the name."),
      putAway,
    });
    this.#projected = new ProjectedNote(exercises, () => void putAway());
    this.#message = new MessageForm({
      send: async (text, minutes) => (await this.#apply(api.tell(code, text, minutes), "The message is shown.")) === "",
      remove: () => void this.#apply(api.removeMessage(code), "The message is removed."),
      say: (words) => this.#say(words, true),
    });
    this.#settings = new RoomSettings(exercises, change);
    this.#help = new NeedsHelp({
      exercises,
      onParticipant: open,
      onLower: (id, name) => change({ lower: id }, `You lowered the hand of ${name}.`),
    });
    this.#deadline = new DeadlineForm({ change, say: (words) => this.#say(words), now: () => this.#clock() });
    this.#cards = new ExerciseCards({ exercises, change, spread: () => true });
    this.#removed = new RemovedList((id, name) => change({ restore: id }, `${name} is back in the room.`));
    this.#shared = new SharedList({
      api,
      code,
      exercises,
      unshare: (id, title) => change({ unshare: id }, `Code for ${title} is no longer shown to the room.`),
    });
    this.#polls = new PollsPlace({
      api,
      code,
      plans: exercises.plans,
      changed: (answer, done) => this.#changed(answer, done),
    });
    this.#roster = new Roster(
      exercises,
      open,
      jumps(["Message to all", this.#message.root], ["Predictions", this.#polls.root]),
    );
    this.#helpers = new HelpersLink(root);
    this.#ending = new Ending({ change, remove: () => void this.#delete() });
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
    addEventListener("resize", this.#redraw);
    this.#drawFolded();
  }

  stop(): void {
    this.#feed.stop();
    clearInterval(this.#ticking);
    removeEventListener("resize", this.#redraw);
    this.#countdown.stop();
    this.#projector?.stop();
    clearTimeout(this.#saying);
    this.#person.root.close();
  }

  readonly #redraw = (): void => this.#draw();

  /** Shows the view for a projector, or the grid. */
  project(on: boolean): void {
    const { api, code, exercises } = this.#options;
    this.#projector?.stop();
    this.#projector = on ? new Projector({ api, code, address: this.#address, exercises, fold: this.#fold }) : null;
    document.documentElement.classList.toggle("is-projected", on);
    this.#content.replaceChildren(...(this.#projector ? [this.#projector.root] : this.#parts));
    scrollTo(0, 0);
    this.#draw();
  }

  #parts: HTMLElement[] = [];

  #layOut(): void {
    const { api, code, root } = this.#options;
    const around = el(
      "p",
      { class: "room-controls for-instructor" },
      el("a", { class: "room-others", href: "#" }, "All rooms of this server"),
      previewButton(api, code, root, (why) => this.#say(why, true)),
    );
    this.#parts = [
      el(
        "div",
        { class: "room-top" },
        el(
          "div",
          {},
          el("p", { class: "room-now" }, this.#summary, " ", this.#countdown.root, " ", this.#renumbered),
          around,
          this.#help.root,
        ),
        this.#invite.root,
      ),
      this.#said,
      this.#projected.root,
      this.#roster.root,
      this.#removed.root,
      this.#message.root,
      this.#polls.root,
      el("section", { class: "room-section", "aria-label": "Exercises" }, el("h2", {}, "Exercises"), this.#cards.root),
      this.#shared.root,
      this.#deadline.root,
      this.#settings.root,
      gradesSection((name) => void this.#download(name)),
      this.#helpers.root,
      this.#ending.root,
      this.#person.root,
    ];
    this.#content.replaceChildren(...this.#parts);
    this.root.append(this.#connection, this.#full, this.#content, this.#live);
    this.root.dataset["code"] = this.#options.code;
  }

  #drawAddress(): void {
    this.#invite.draw();
    this.#projector?.drawJoin();
  }

  /** Folds the invitation to a line, or shows it whole. */
  #drawFolded(): void {
    const { folded } = this.#fold;
    this.root.classList.toggle("is-folded", folded);
    this.#help.open(!folded);
    this.#drawAddress();
    this.#draw();
  }

  #show(room: Room): void {
    const before = this.#room;
    this.#room = room;
    if (this.#address.offer(room.sites)) this.#drawAddress();
    this.#full.hidden = !room.readOnly;
    this.root.classList.toggle("is-helping", room.helps);
    this.#helpers.show(room);
    this.#clock = serverClock(room);
    this.#deadline.show(room);
    if (before) this.#announce(before, room);
    this.#draw();
  }

  /**
   * Announces only raised hands, because a class makes too many other changes to read out. In front of the class, the
   * participant's name is left out.
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
    const { heading } = this.#options;
    const now = this.#clock();
    const up = room.participants.filter(({ hand }) => hand !== "");
    if (heading.textContent !== room.title) heading.textContent = room.title;
    heading.setAttribute("dir", "auto");
    // A raised hand is seen in the tab's title, too.
    const title = `${up.length > 0 ? `(${up.length}) ` : ""}${room.title} · On the Stack`;
    if (title !== this.#title) document.title = this.#title = title;
    if (this.#projector) return this.#projector.show(room, this.#clock);
    const people = [plural(room.participants.length, "participant"), connectedWords(room)].filter(Boolean).join(", ");
    setText(this.#summary, `Room ${room.room}. ${people}.`);
    setText(this.#renumbered, renumberedWords(room));
    this.#countdown.show(room, this.#clock);
    this.#help.show(room, now);
    this.#roster.show(room, now);
    this.#cards.show(room);
    this.#polls.show(room);
    this.#person.show(room);
    this.#ending.show(room);
    this.#removed.show(room.removed);
    this.#shared.show(room.shared);
    this.#settings.show(room);
    this.#message.show(room);
    this.#projected.show(room);
    this.#invite.root.hidden = room.ended;
  }

  #showConnection(connection: Connection): void {
    const was = this.#connection.hidden;
    this.#connection.hidden = connection !== "lost";
    setText(this.#connection, this.#room ? LAST_STATE : NO_STATE);
    this.#person.connected(connection !== "lost");
    if (was !== this.#connection.hidden)
      this.#live.textContent = connection === "lost" ? "The server does not answer." : "The server answers again.";
  }

  async #change(change: Change, done: string): Promise<void> {
    await this.#apply(this.#options.api.change(this.#options.code, change), done);
  }

  /** Shows the room as a change has made it, and what was done. Resolves to what went wrong, or to "". */
  async #apply(changed: Promise<Answer<Room>>, done: string): Promise<string> {
    return this.#changed(await changed, done);
  }

  #changed(answer: Answer<Room>, done: string): string {
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
    this.#say(`${saveFile(answer.value, code, name)} has been downloaded.`);
  }

  async #delete(): Promise<void> {
    const { api, code, onDeleted } = this.#options;
    const answer = await api.delete(code);
    if (answer.kind !== "ok") return this.#fail(answer);
    this.stop();
    onDeleted();
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
