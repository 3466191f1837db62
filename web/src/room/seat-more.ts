// Facts about the seat of this browser that only the page of a room needs. They are stored apart from the seat, which
// every page with an exercise reads.

import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import type { Seat } from "./seat.ts";

const NAME = "room/seat-more";

export interface SeatMore {
  /** The key of the other person of a pair who joined in this browser; "" if there is none. */
  partner: string;
  /** Whether the seat is the instructor's, who tries the room. */
  preview: boolean;
}

const NOTHING: SeatMore = { partner: "", preview: false };

export function readSeatMore(json: unknown): (SeatMore & { participant: string }) | null {
  if (!isFields(json)) return null;
  const { participant, partner, preview } = json;
  if (typeof participant !== "string" || typeof partner !== "string" || typeof preview !== "boolean") return null;
  return { participant, partner, preview };
}

/** Returns what is stored about a seat. */
export function loadSeatMore(store: Store, { participant }: Seat): SeatMore {
  const more = store.load(NAME, readSeatMore);
  return more?.participant === participant ? { partner: more.partner, preview: more.preview } : NOTHING;
}

export function saveSeatMore(store: Store, { participant }: Seat, more: SeatMore): void {
  store.save(NAME, { participant, ...more });
}

/** Returns the link that opens a seat in another browser. */
export const seatLink = (site: string, room: string, token: string): string => `${site}join/#${room}/${token}`;
