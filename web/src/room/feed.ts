// Follows a room: a stream of server-sent events that begins again whenever it breaks off. Each event has the whole
// state, so that only the last one is needed. EventSource cannot send the token in a header.

import { serverEvents } from "../event-stream.ts";
import type { Room } from "../go/room.ts";
import { isGone, isWrongToken, readRoom, refusalOf, type RoomAPI } from "./api.ts";

/** Whether what the page shows is current. */
export type Connection = "connecting" | "open" | "lost";

/** Why a room cannot be followed. */
export interface Gone {
  message: string;
  /** The server does not accept the caller's token. */
  wrongToken: boolean;
}

export interface FeedOptions {
  api: RoomAPI;
  code: string;
  onRoom: (room: Room) => void;
  /** Called when the connection changes. */
  onConnection: (connection: Connection) => void;
  /** Called when the room, or the caller's place in it, exists no longer. The feed has ended then. */
  onGone: (gone: Gone) => void;
  /**
   * Whether the stream stays open while nobody sees the page. A browser opens at most six connections to a server, so
   * with many tabs the streams would leave none for a check.
   */
  whileHidden: boolean;
}

const GONE: Gone = { message: "The room has been deleted, or you have been removed from it.", wrongToken: false };

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** The server sends a comment every four seconds. A stream that is silent for longer has died without a word. */
const SILENCE_MS = 10_000;

export class Feed {
  readonly #options: FeedOptions;
  #stopped = false;
  #last = "";
  #connection: Connection = "connecting";
  #abort = new AbortController();
  #wake: () => void = () => {};

  constructor(options: FeedOptions) {
    this.#options = options;
    addEventListener("online", this.#hurry);
    addEventListener("offline", this.#cut);
    document.addEventListener("visibilitychange", this.#seen);
    void this.#run();
  }

  stop(): void {
    this.#stopped = true;
    removeEventListener("online", this.#hurry);
    removeEventListener("offline", this.#cut);
    document.removeEventListener("visibilitychange", this.#seen);
    this.#abort.abort();
    this.#wake();
  }

  readonly #hurry = (): void => this.#wake();

  /** A stream over a network that is gone may stay open, silently, for long. */
  readonly #cut = (): void => this.#abort.abort();

  readonly #seen = (): void => {
    if (this.#paused()) this.#abort.abort();
    else this.#wake();
  };

  #paused(): boolean {
    return document.hidden && !this.#options.whileHidden;
  }

  async #run(): Promise<void> {
    let wait = FIRST_WAIT_MS;
    while (!this.#stopped) {
      if (this.#paused()) {
        await this.#sleep(null);
        continue;
      }
      const was = performance.now();
      const end = await this.#follow();
      if (this.#stopped) return;
      if (end !== null) {
        this.stop();
        return this.#options.onGone(end);
      }
      if (this.#paused()) continue;
      this.#enter("lost");
      // A stream that lasted was a good one: begin with a short wait again.
      if (performance.now() - was > LONGEST_WAIT_MS) wait = FIRST_WAIT_MS;
      // Not all pages of a class at the same moment.
      await this.#sleep(wait * (0.5 + Math.random()));
      wait = Math.min(LONGEST_WAIT_MS, wait * 2);
    }
  }

  /** Waits for a time in ms, or without end if it is null, unless the page is seen or the network is back before. */
  #sleep(ms: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Follows one stream to its end. Returns why the room is gone; null if the stream only broke off. */
  async #follow(): Promise<Gone | null> {
    const { api, code, onRoom } = this.#options;
    const abort = (this.#abort = new AbortController());
    let silence: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(silence);
      silence = setTimeout(() => abort.abort(), SILENCE_MS);
    };
    try {
      alive();
      const reply = await api.events(code, this.#last, abort.signal);
      if (!reply.ok || !reply.body) {
        const refusal = await refusalOf(reply);
        if (refusal.kind !== "refused" || !isGone(refusal)) return null;
        // A room that was followed before did exist.
        return this.#last === "" ? { message: refusal.message, wrongToken: isWrongToken(refusal) } : GONE;
      }
      this.#enter("open");
      const watched = reply.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            alive();
            controller.enqueue(chunk);
          },
        }),
      );
      for await (const { name, data, id } of serverEvents(watched)) {
        if (name === "gone") return GONE;
        if (name !== "room") continue;
        const room = readRoom(JSON.parse(data));
        if (!room) continue;
        this.#last = id ?? this.#last;
        onRoom(room);
      }
    } catch {
      // The network broke off, or the page is not seen any more.
    } finally {
      clearTimeout(silence);
      abort.abort();
    }
    return null;
  }

  #enter(connection: Connection): void {
    if (connection === this.#connection) return;
    this.#connection = connection;
    this.#options.onConnection(connection);
  }
}
