// A participant's place in a room, in the browser's storage. While it is there, every page of the workbook takes
// part in the room.

import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import { isCode } from "./typed.ts";

/** The name under which the browser stores it. */
const SEAT = "room/seat";
/** The name of the last place that the server took away: the instructor may give it back. */
const LOST = "room/lost-seat";

export interface Seat {
  /** The room's code. */
  room: string;
  title: string;
  participant: string;
  token: string;
  /** As the server shows it: the second Ada of a room is "Ada (2)". */
  name: string;
}

export function readSeat(json: unknown): Seat | null {
  if (!isFields(json)) return null;
  const { room, title, participant, token, name } = json;
  const texts = [room, title, participant, token, name];
  if (!texts.every((text) => typeof text === "string") || !isCode(room as string)) return null;
  return { room, title, participant, token, name } as Seat;
}

export const loadSeat = (store: Store): Seat | null => store.load(SEAT, readSeat);

/** Reports whether the browser stored it. */
export const saveSeat = (store: Store, seat: Seat): boolean => store.save(SEAT, seat);

export const leaveSeat = (store: Store): void => store.remove(SEAT);

/** Leaves a room because the server has no place for the participant any more. */
export function loseSeat(store: Store): void {
  const seat = loadSeat(store);
  if (seat) store.save(LOST, seat);
  leaveSeat(store);
}

/** Returns the last place that was lost; null if there is none. */
export const lostSeat = (store: Store): Seat | null => store.load(LOST, readSeat);

export const forgetLostSeat = (store: Store): void => store.remove(LOST);

/** Resolves once this browser is in a room: at once, or when another tab joins one. */
export function whenSeated(store: Store): Promise<void> {
  const seated = (json: unknown) => (json === null ? null : true);
  return new Promise((resolve) => {
    if (store.load(SEAT, seated)) resolve();
    else store.onElsewhere(SEAT, seated, (there) => there && resolve());
  });
}

/** Calls changed when another tab joins a room or leaves it. */
export const onSeat = (store: Store, changed: (seat: Seat | null) => void): void =>
  store.onElsewhere(SEAT, readSeat, changed);

/** The message of a page when another tab has left the room, which it may have done because the room is gone. */
export const LEFT_ELSEWHERE =
  "The room has been deleted, or you have been removed from it, or you have left it in another tab.";
