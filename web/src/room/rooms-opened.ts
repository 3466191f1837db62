// The rooms that were opened or shown in this browser, so that the instructor finds them again.

import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import { isCode } from "./api.ts";

export interface Opened {
  room: string;
  title: string;
}

const NAME = "room/opened";
const MOST = 20;

function readOpened(json: unknown): Opened[] | null {
  if (!Array.isArray(json)) return null;
  return json.filter(
    (value): value is Opened =>
      isFields(value) &&
      typeof value["title"] === "string" &&
      typeof value["room"] === "string" &&
      isCode(value["room"]),
  );
}

export const openedRooms = (store: Store): Opened[] => store.load(NAME, readOpened) ?? [];

/** Puts a room first. */
export function rememberRoom(store: Store, { room, title }: Opened): void {
  const others = openedRooms(store).filter((other) => other.room !== room);
  store.save(NAME, [{ room, title }, ...others].slice(0, MOST));
}

export function forgetRoom(store: Store, room: string): void {
  store.save(
    NAME,
    openedRooms(store).filter((other) => other.room !== room),
  );
}
