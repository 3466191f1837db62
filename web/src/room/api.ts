// The runner's API of rooms: its JSON, and one method for each request. runner/room/roomhttp answers them.

import { isFields, read } from "../json.ts";
import { readRefusal, readVerdict } from "../responses.ts";
import { CheckedCode, HandedInList, Room, Rooms, type HandedIn, type ListedRoom, type Progress } from "../go/room.ts";
import type { Verdict } from "../go/runner.ts";
import type { Files } from "../files.ts";
import type { Person } from "./person-fields.ts";

export const readRoom = (json: unknown): Room | null => read(Room, json, "room", "exercises");

/** A submission and its result. */
export interface Submission {
  state: string;
  late: boolean;
  /** Why grading failed. */
  why: string;
  verdict: Verdict | null;
  /** The files that were handed in. */
  files: Files;
}

/** What a participant hands in. */
export interface Handed {
  /** Names this submission, however often it is sent. */
  key: string;
  exercise: string;
  files: Files;
  /** The ID of the check of the same files; "" if they were not checked. */
  check: string;
}

/** Names the code of a check. */
export interface CheckName {
  participant: string;
  exercise: string;
  /** The ID of the code that the instructor has read. */
  code: string;
}

/** One change of a room. */
export type Change =
  | { open: string }
  | { close: string }
  | { deadline: string }
  | { remove: string }
  | { restore: string }
  | { lower: string }
  | { share: string }
  | { unshare: string }
  | { regrade: string }
  | { regradeEach: string }
  | { end: true }
  | { reopen: true }
  | { joins: boolean }
  | { title: string }
  | { exercises: string[] }
  | { rename: { participant: string; name: string; identifier: string } }
  | { merge: { participant: string; into: string } };

/** The deadline that removes the deadline: Go's zero time. */
export const NO_DEADLINE = "0001-01-01T00:00:00Z";

export type Answer<T> =
  | { kind: "ok"; value: T }
  /** The server declined, for the reason in message. */
  | { kind: "refused"; status: number; message: string }
  /** No server answered, or something that is not the runner did. */
  | { kind: "unreachable" };

/** A request is given up after this time. */
const TIMEOUT_MS = 20_000;

export class RoomAPI {
  readonly #root: string;
  readonly #token: string;

  /** root is the URL of the site. The token is a participant's or the instructor's, or "" before joining. */
  constructor(root: string, token: string) {
    this.#root = root;
    this.#token = token;
  }

  /** Returns all rooms, the latest change first. */
  list(): Promise<Answer<ListedRoom[]>> {
    return this.#send("GET", "", undefined, (json) => read(Rooms, json, "rooms")?.rooms ?? null);
  }

  /** Opens a room, and returns its code. */
  create(room: { title: string; exercises: string[]; deadline?: string; seesCode?: boolean }): Promise<Answer<string>> {
    return this.#send("POST", "", room, (json) => text(json, "room"));
  }

  /** Joins, alone or with somebody at the same machine, whose key is partner then. */
  join(code: string, who: Person, second: Person | null): Promise<Answer<Key & { partner: Key | null }>> {
    const body = { ...who, ...(second ? { partner: second } : {}) };
    return this.#send("POST", `/${path(code)}/join`, body, (json) => {
      const key = readKey(json);
      return key && isFields(json) ? { ...key, partner: readKey(json["partner"]) } : null;
    });
  }

  /** Gives a participant a new key. The keys that they had stop working. */
  newKey(code: string, participant: string): Promise<Answer<Key>> {
    return this.#send("POST", `/${path(code)}/participants/${path(participant)}/key`, undefined, readKey);
  }

  /** Makes a seat for the instructor, who tries the room. */
  preview(code: string): Promise<Answer<Key>> {
    return this.#send("POST", `/${path(code)}/preview`, undefined, readKey);
  }

  /** Ends the pair that the participant belongs to. */
  part(code: string): Promise<Answer<Room>> {
    return this.#send("POST", `/${path(code)}/part`, undefined, readRoom);
  }

  show(code: string): Promise<Answer<Room>> {
    return this.#send("GET", `/${path(code)}`, undefined, readRoom);
  }

  /** Hands in. The same key gives the same submission, however often this is sent. Returns the submission's ID. */
  submit(code: string, { key, exercise, files, check }: Handed): Promise<Answer<string>> {
    const read = (json: unknown) => text(json, "id");
    const body = { exercise, files, ...(check === "" ? {} : { check }) };
    return this.#send("POST", `/${path(code)}/submissions`, body, read, { "Idempotency-Key": key });
  }

  submission(code: string, id: string): Promise<Answer<Submission>> {
    return this.#send("GET", `/${path(code)}/submissions/${path(id)}`, undefined, (json) => {
      const state = text(json, "state");
      if (state === null || !isFields(json)) return null;
      const files = Object.entries(isFields(json["files"]) ? json["files"] : {});
      return {
        state,
        late: json["late"] === true,
        why: text(json, "why") ?? "",
        verdict: readVerdict(json["verdict"]),
        files: Object.fromEntries(files.filter((file): file is [string, string] => typeof file[1] === "string")),
      };
    });
  }

  hand(code: string, exercise: string, raised: boolean): Promise<Answer<true>> {
    return this.#send("POST", `/${path(code)}/hand`, { exercise, raised }, () => true);
  }

  /** Reports a check, to which the page has given an ID. files is null in a room whose instructor sees no code. */
  progress(
    code: string,
    exercise: string,
    check: string,
    progress: Progress,
    files: Files | null,
  ): Promise<Answer<true>> {
    const body = { exercise, check, ...progress, ...(files && { files }) };
    return this.#send("POST", `/${path(code)}/progress`, body, () => true);
  }

  /** Returns the code of a participant's last check. */
  checkedCode(code: string, participant: string, exercise: string): Promise<Answer<CheckedCode>> {
    const at = `/${path(code)}/participants/${path(participant)}/code/${path(exercise)}`;
    return this.#send("GET", at, undefined, readCode);
  }

  /** Lists what a participant handed in for an exercise, the newest first. */
  history(code: string, participant: string, exercise: string): Promise<Answer<HandedIn[]>> {
    const at = `/${path(code)}/participants/${path(participant)}/submissions/${path(exercise)}`;
    return this.#send("GET", at, undefined, (json) => read(HandedInList, json, "submissions")?.submissions ?? null);
  }

  /** Returns the code that the instructor projects. */
  projected(code: string): Promise<Answer<CheckedCode>> {
    return this.#send("GET", `/${path(code)}/projected`, undefined, readCode);
  }

  project(code: string, name: CheckName): Promise<Answer<Room>> {
    return this.#send("PUT", `/${path(code)}/projected`, name, readRoom);
  }

  putAway(code: string): Promise<Answer<Room>> {
    return this.#send("DELETE", `/${path(code)}/projected`, undefined, readRoom);
  }

  /** Shows a message to all, with a countdown of minutes, or none if they are 0. */
  tell(code: string, text: string, minutes: number): Promise<Answer<Room>> {
    return this.#send("PUT", `/${path(code)}/message`, { text, ...(minutes > 0 && { minutes }) }, readRoom);
  }

  removeMessage(code: string): Promise<Answer<Room>> {
    return this.#send("DELETE", `/${path(code)}/message`, undefined, readRoom);
  }

  /** Reports how many hints of an exercise are open. */
  hints(code: string, exercise: string, hints: number): Promise<Answer<true>> {
    return this.#send("POST", `/${path(code)}/hints`, { exercise, hints }, () => true);
  }

  change(code: string, change: Change): Promise<Answer<Room>> {
    return this.#send("PATCH", `/${path(code)}`, change, readRoom);
  }

  /** Asks the room a question of the workbook. choices is 0 if the answer is a number. */
  ask(code: string, question: string, choices: number): Promise<Answer<Room>> {
    return this.#send("POST", `/${path(code)}/questions`, { question, choices }, readRoom);
  }

  /** Closes a question, shows its answer, or puts it away. */
  question(code: string, number: number, state: "closed" | "shown" | "away"): Promise<Answer<Room>> {
    return this.#send("PATCH", `/${path(code)}/questions/${number}`, { state }, readRoom);
  }

  /** Answers a question of the room. */
  answer(code: string, number: number, answer: number): Promise<Answer<true>> {
    return this.#send("PUT", `/${path(code)}/questions/${number}/answer`, { answer }, () => true);
  }

  /** Deletes the room with all that was handed in. */
  delete(code: string): Promise<Answer<true>> {
    return this.#send("DELETE", `/${path(code)}`, undefined, () => true);
  }

  /** Fetches a file of the room, such as "grades.csv". */
  async file(code: string, name: string): Promise<Answer<Blob>> {
    return this.#ask("GET", `/${path(code)}/${name}`, undefined, {}, async (reply) => reply.blob());
  }

  /** Opens the stream of events, after the event with the ID last if it is not "". */
  events(code: string, last: string, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.#authorization(), Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
    return fetch(this.#url(`/${path(code)}/events`), { headers, signal, cache: "no-store" });
  }

  #url(path: string): string {
    return `${this.#root}api/rooms${path}`;
  }

  #authorization(): Record<string, string> {
    return this.#token === "" ? {} : { Authorization: `Bearer ${this.#token}` };
  }

  #send<T>(
    method: string,
    path: string,
    body: unknown,
    read: (json: unknown) => T | null,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    return this.#ask(method, path, body, headers, async (reply) =>
      read(reply.status === 204 ? null : await reply.json()),
    );
  }

  async #ask<T>(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    read: (reply: Response) => Promise<T | null>,
  ): Promise<Answer<T>> {
    try {
      const reply = await fetch(this.#url(path), {
        method,
        headers: {
          ...this.#authorization(),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        cache: "no-store",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!reply.ok) return await refusalOf(reply);
      const value = await read(reply);
      return value === null ? { kind: "unreachable" } : { kind: "ok", value };
    } catch {
      // The network failed, the time is over, or the answer is not JSON.
      return { kind: "unreachable" };
    }
  }
}

/** Reads an answer that is not a success. One without a message in JSON is not from a runner that has rooms. */
export async function refusalOf(reply: Response): Promise<Extract<Answer<never>, { kind: "refused" | "unreachable" }>> {
  let message: string | null = null;
  try {
    message = readRefusal(await reply.json());
  } catch {
    // It is a page of a static host or of a proxy.
  }
  return message === null ? { kind: "unreachable" } : { kind: "refused", status: reply.status, message };
}

/** Reports whether the same request may succeed later: the server starts, is busy, or could not store it. */
export const isTemporary = ({ status }: { status: number }): boolean => status === 429 || status >= 500;

/** Reports whether a refusal says that the room or the caller's place in it does not exist any more. */
export const isGone = ({ status }: { status: number }): boolean => [401, 403, 404, 410].includes(status);

/** Reports whether a refusal says that the token is missing or wrong. */
export const isWrongToken = ({ status }: { status: number }): boolean => status === 401 || status === 403;

const path = encodeURIComponent;

/** The key of a seat. */
export interface Key {
  /** The participant's ID. */
  participant: string;
  token: string;
}

function readKey(json: unknown): Key | null {
  const [participant, token] = [text(json, "participant"), text(json, "token")];
  return participant === null || token === null ? null : { participant, token };
}

const readCode = (json: unknown): CheckedCode | null => read(CheckedCode, json, "code", "exercise", "files");

function text(json: unknown, name: string): string | null {
  const value = isFields(json) ? json[name] : null;
  return typeof value === "string" ? value : null;
}
