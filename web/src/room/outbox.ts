// A participant's submissions. Each stays in the browser's storage until the server has said that it is on its disk,
// and is sent again after a reload.

import { sameFiles, type Files } from "../files.ts";
import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import type { Room } from "../go/room.ts";
import { isTemporary, type Handed, type RoomAPI } from "./api.ts";
import type { Seat } from "./seat.ts";

export interface Item extends Handed {
  room: string;
  participant: string;
  /** Why the server did not take it; "" as long as it has not said so. */
  refused: string;
}

const WAITING = "room/outbox";
const TAKEN = "room/taken";
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface OutboxOptions {
  store: Store;
  api: RoomAPI;
  seat: Seat;
  /** Called when something was added, taken or refused. */
  onChange: () => void;
  /** Called with the ID of a submission that the server has taken. */
  onTaken?: (exercise: string, id: string) => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  /** In memory, for a browser that stores nothing. */
  #items: Item[];
  /** Whether the browser has stored them. */
  #kept = true;
  #sending = false;
  #wait = FIRST_WAIT_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#items = this.#stored().map((item) => ({ ...item, refused: "" }));
    addEventListener("online", this.#retry);
    void this.#send();
  }

  stop(): void {
    removeEventListener("online", this.#retry);
    clearTimeout(this.#timer);
  }

  readonly #retry = (): void => void this.#send();

  /** Returns the newest submission of an exercise that the server has not taken; null if there is none. */
  waiting(exercise: string): Item | null {
    return this.#items.filter((item) => this.#isMine(item) && item.exercise === exercise).at(-1) ?? null;
  }

  /** Reports whether these files are the last of the exercise that were handed in, or wait to be. */
  has(exercise: string, files: Files): boolean {
    const waiting = this.waiting(exercise);
    if (waiting) return waiting.refused === "" && sameFiles(waiting.files, files);
    const { store, seat } = this.#options;
    const taken = store.load(TAKEN, readItems)?.find((item) => this.#isMine(item) && item.exercise === exercise);
    return taken !== undefined && taken.participant === seat.participant && sameFiles(taken.files, files);
  }

  /** Hands in. check is the ID of the check of these files; "" if they were not checked. */
  add(exercise: string, files: Files, check: string): void {
    const { room, participant } = this.#options.seat;
    // This replaces a submission that was refused.
    this.#change((items) => [
      ...items.filter((item) => item.exercise !== exercise || item.refused === "" || !this.#isMine(item)),
      { key: newKey(), room, participant, exercise, files, check, refused: "" },
    ]);
    this.#wait = FIRST_WAIT_MS;
    void this.#send();
  }

  /** Sends again what was refused, once the room takes what it did not take then. */
  again(): void {
    this.#change((items) => items.map((item) => (this.#isMine(item) ? { ...item, refused: "" } : item)));
    void this.#send();
  }

  #isMine({ room, participant }: Item): boolean {
    const { seat } = this.#options;
    return room === seat.room && participant === seat.participant;
  }

  #stored(): Item[] {
    return this.#options.store.load(WAITING, readItems) ?? [];
  }

  /** Changes the list as it is stored now: other tabs hand in too. */
  #change(change: (items: Item[]) => Item[]): void {
    const { store, onChange } = this.#options;
    this.#items = change(this.#kept ? this.#stored() : this.#items);
    this.#kept = store.save(WAITING, this.#items);
    onChange();
  }

  async #send(): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    clearTimeout(this.#timer);
    const { api, seat, store, onTaken } = this.#options;
    try {
      for (;;) {
        const item = this.#items.find((item) => this.#isMine(item) && item.refused === "");
        if (!item) return;
        const answer = await api.submit(seat.room, item);
        if (answer.kind === "unreachable" || (answer.kind === "refused" && isTemporary(answer))) {
          this.#timer = setTimeout(() => void this.#send(), this.#wait);
          this.#wait = Math.min(LONGEST_WAIT_MS, this.#wait * 2);
          return;
        }
        this.#wait = FIRST_WAIT_MS;
        if (answer.kind === "ok") {
          onTaken?.(item.exercise, answer.value);
          const taken = (store.load(TAKEN, readItems) ?? []).filter(({ exercise }) => exercise !== item.exercise);
          store.save(TAKEN, [...taken.filter((other) => this.#isMine(other)), item]);
          this.#change((items) => items.filter(({ key }) => key !== item.key));
        } else {
          const refused = answer.message;
          this.#change((items) => items.map((other) => (other.key === item.key ? { ...other, refused } : other)));
        }
      }
    } finally {
      this.#sending = false;
    }
  }
}

/** Reports whether a room takes what it did not take before: it is open again, or one of its exercises is. */
export const opensAgain = (before: Room, room: Room): boolean =>
  !room.ended &&
  (before.ended ||
    before.closed.some((id) => !room.closed.includes(id)) ||
    room.exercises.some((id) => !before.exercises.includes(id)));

/** Returns a random key. crypto.randomUUID is missing on pages that came over plain http, as in most classrooms. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readItems(json: unknown): Item[] | null {
  if (!Array.isArray(json)) return null;
  // An earlier version stored no check.
  return json.map((item: unknown) => (isFields(item) ? { check: "", ...item } : item)).filter(isItem);
}

function isItem(value: unknown): value is Item {
  if (!isFields(value) || !isFields(value["files"])) return false;
  const texts = ["key", "room", "participant", "exercise", "check", "refused"].map((name) => value[name]);
  return [...texts, ...Object.values(value["files"])].every((text) => typeof text === "string");
}
