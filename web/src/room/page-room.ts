// The room that this browser is in, for the exercises of a page: what is checked is reported, and a pass is handed in.

import { sameFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import type { Verdict } from "../go/runner.ts";
import { siteRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import type { Progress, Room, Work } from "../go/room.ts";
import { isTemporary, RoomAPI } from "./api.ts";
import { failedTest } from "./failed-test.ts";
import { Feed, type Connection } from "./feed.ts";
import { MessageBox } from "./message.ts";
import { newKey, opensAgain, Outbox, type Item } from "./outbox.ts";
import { refusalWords } from "./words.ts";
import { LEFT_ELSEWHERE, loadSeat, loseSeat, onSeat, type Seat } from "./seat.ts";
import { serverClock } from "./words.ts";

/** A check in this page, with the ID by which the server knows that its code was handed in. */
interface Check {
  id: string;
  files: Files;
  progress: Progress;
  /** Whether the server gets the files: the reader was told so before the check. */
  sent: boolean;
}

export class PageRoom {
  readonly #store: Store;
  readonly #listeners: (() => void)[] = [];
  /** Reports that the server has not taken yet, by exercise: only the last one of each counts. */
  readonly #reports = new Map<string, Check>();
  /** The last check of each exercise. */
  readonly #checks = new Map<string, Check>();
  /** Submissions that the server has taken and the room does not show yet, by exercise, with the one shown before. */
  readonly #taken = new Map<string, { id: string; before: string }>();
  /** Solutions that passed while the room did not take them, by exercise. They are handed in once it does. */
  readonly #held = new Map<string, Files>();
  readonly #message: MessageBox;
  #seat: Seat | null = null;
  #room: Room | null = null;
  #clock = (): number => Date.now();
  #connection: Connection = "connecting";
  /** Why the place in the room is gone; "" if it is not. */
  #gone = "";
  #api: RoomAPI | null = null;
  #feed: Feed | null = null;
  #outbox: Outbox | null = null;

  constructor(store: Store) {
    this.#store = store;
    this.#message = new MessageBox(store);
    document.querySelector("main")?.before(this.#message.root);
    onSeat(store, (seat) => {
      const left = seat === null;
      if (left && !this.#seat) return; // this tab has heard of it already, and says why
      this.#sit();
      if (left) this.#gone = LEFT_ELSEWHERE;
      this.#changed();
    });
    this.#sit();
  }

  get seat(): Seat | null {
    return this.#seat;
  }

  /** The participant's name as the room has it, which the instructor may have changed. */
  get name(): string {
    return this.#room?.participants[0]?.name || (this.#seat?.name ?? "");
  }

  /** The room as it was last seen; null before the first answer. */
  get room(): Room | null {
    return this.#room;
  }

  /** Returns the server's time, in ms. */
  now(): number {
    return this.#clock();
  }

  /** What to ask the server with; null without a seat. */
  get api(): RoomAPI | null {
    return this.#api;
  }

  get connection(): Connection {
    return this.#connection;
  }

  get gone(): string {
    return this.#gone;
  }

  /** Calls changed whenever something here has changed. */
  onChange(changed: () => void): void {
    this.#listeners.push(changed);
  }

  /** The participant's own work, as the server knows it. */
  work(exercise: string): Work | undefined {
    return this.#room?.participants[0]?.work[exercise];
  }

  /** Reports whether the hand is up at an exercise. */
  handAt(exercise: string): boolean {
    return this.#room?.participants[0]?.hand === exercise;
  }

  /** Reports whether the room has an exercise and takes submissions. True as long as it is not known. */
  takes(exercise: string): boolean {
    const room = this.#room;
    return room === null || (room.exercises.includes(exercise) && !room.closed.includes(exercise) && !room.ended);
  }

  waiting(exercise: string): Item | null {
    return this.#outbox?.waiting(exercise) ?? null;
  }

  /** To be called after each check. A pass is handed in, unless the same text was before. */
  checked({ exercise }: ExerciseData, verdict: Verdict, files: Files, hints: number): void {
    if (!this.#seat || (this.#room && !this.#room.exercises.includes(exercise))) return;
    const check = { id: newKey(), files, progress: progressOf(verdict, hints), sent: this.seesCode(exercise) };
    this.#checks.set(exercise, check);
    this.#reports.set(exercise, check);
    void this.#report();
    this.#held.delete(exercise);
    if (!verdict.pass || this.#outbox?.has(exercise, files)) return;
    if (this.takes(exercise)) this.handIn(exercise, files);
    else this.#held.set(exercise, files);
  }

  /** To be called when another hint is opened. It is not sent again: the next check has the number too. */
  hinted(exercise: string, hints: number): void {
    if (this.#seat && this.takes(exercise)) void this.#api?.hints(this.#seat.room, exercise, hints);
  }

  /** Reports whether the instructor sees the code of checks of an exercise. False as long as it is not known. */
  seesCode(exercise: string): boolean {
    return this.#room !== null && this.#room.seesCode && this.#room.exercises.includes(exercise);
  }

  /** Reports whether a solution that has passed is handed in when the room takes it. */
  holds(exercise: string): boolean {
    return this.#held.has(exercise);
  }

  handIn(exercise: string, files: Files): void {
    const check = this.#checks.get(exercise);
    this.#outbox?.add(exercise, files, check && sameFiles(check.files, files) ? check.id : "");
  }

  /** Reports whether the server has taken a submission that the room does not show yet. */
  taken(exercise: string): boolean {
    const taken = this.#taken.get(exercise);
    const last = this.work(exercise)?.last ?? "";
    return taken !== undefined && last === taken.before && last !== taken.id;
  }

  /** Raises or lowers the hand. Resolves to what went wrong, as a sentence, or to "". */
  async raise(exercise: string, raised: boolean): Promise<string> {
    if (!this.#api || !this.#seat) return "";
    return refusalWords(await this.#api.hand(this.#seat.room, exercise, raised));
  }

  /** Answers a question of the room. Resolves to what went wrong, as a sentence, or to "". */
  async answer(number: number, answer: number): Promise<string> {
    if (!this.#api || !this.#seat) return "";
    return refusalWords(await this.#api.answer(this.#seat.room, number, answer));
  }

  async #report(): Promise<void> {
    const [api, seat] = [this.#api, this.#seat];
    for (const [exercise, check] of [...this.#reports]) {
      if (!api || !seat) return;
      const answer = await api.progress(seat.room, exercise, check.id, check.progress, check.sent ? check.files : null);
      // It is sent again when the stream is open again.
      if (answer.kind === "unreachable" || (answer.kind === "refused" && isTemporary(answer))) continue;
      if (this.#reports.get(exercise) === check) this.#reports.delete(exercise);
    }
  }

  #handInHeld(): void {
    this.#outbox?.again();
    for (const [exercise, files] of [...this.#held]) {
      if (!this.takes(exercise)) continue;
      this.#held.delete(exercise);
      if (!this.#outbox?.has(exercise, files)) this.handIn(exercise, files);
    }
  }

  /** Takes the place in the room that the browser has stored, or none. */
  #sit(): void {
    this.#feed?.stop();
    this.#outbox?.stop();
    this.#reports.clear();
    this.#held.clear();
    this.#checks.clear();
    this.#taken.clear();
    [this.#feed, this.#outbox, this.#api, this.#room, this.#gone] = [null, null, null, null, ""];
    const seat = (this.#seat = loadSeat(this.#store));
    if (seat) {
      const api = (this.#api = new RoomAPI(siteRoot(), seat.token));
      this.#outbox = new Outbox({
        store: this.#store,
        api,
        seat,
        onChange: () => this.#changed(),
        onTaken: (exercise, id) => this.#taken.set(exercise, { id, before: this.work(exercise)?.last ?? "" }),
      });
      this.#feed = new Feed({
        api,
        code: seat.room,
        onRoom: (room) => {
          const before = this.#room;
          this.#room = room;
          this.#clock = serverClock(room);
          if (before && opensAgain(before, room)) this.#handInHeld();
          this.#changed();
        },
        onConnection: (connection) => {
          this.#connection = connection;
          if (connection === "open") void this.#report();
          this.#changed();
        },
        onGone: ({ message }) => {
          loseSeat(this.#store);
          this.#sit();
          this.#gone = message;
          this.#changed();
        },
        whileHidden: false,
      });
    }
    this.#changed();
  }

  #changed(): void {
    this.#message.show(this.#room);
    for (const changed of this.#listeners) changed();
  }
}

/** Returns what a verdict shows. Of several benchmarks it is the one that is farthest above its target. */
export function progressOf(verdict: Verdict, hints: number): Progress {
  const held = verdict.benchmarks.filter((b) => b.target_allocs !== undefined);
  const above = (b: (typeof held)[number]) => b.allocs_per_op - (b.target_allocs ?? 0);
  const worst = held.reduce<(typeof held)[number] | null>((a, b) => (a && above(a) >= above(b) ? a : b), null);
  const live = verdict.benchmarks.find((b) => b.target_live_bytes !== undefined);
  return {
    stage: verdict.stage,
    allocs: worst?.allocs_per_op ?? 0,
    target: worst?.target_allocs ?? 0,
    live: live?.live_bytes_per_op ?? 0,
    target_live: live?.target_live_bytes ?? 0,
    mistake: verdict.advice.find(({ kind }) => kind === "mistake")?.mistake ?? "",
    hints,
    test: verdict.stage === "tests" ? failedTest(verdict.tests.output) : "",
  };
}

let shared: PageRoom | null = null;

/** Returns the page's only one: all exercises of a page share a stream. */
export const pageRoom = (store: Store): PageRoom => (shared ??= new PageRoom(store));
