// Whether a participant is there, and whether they have begun.

import type { Participant, Room } from "../go/room.ts";
import { span } from "./words.ts";

export interface Presence {
  connected: boolean;
  /** Whether something was checked or handed in. */
  begun: boolean;
  /** How long no page of theirs was open, from a minute on: "4 min"; "" if one is, or if the server does not know. */
  away: string;
  /** "connected", "away for 4 min, not started". */
  long: string;
}

/** Reports whether a participant has checked something or handed something in. */
export const hasBegun = ({ work }: Participant): boolean =>
  Object.values(work).some(({ attempts, state }) => attempts > 0 || state !== "");

/** Returns "48 connected"; "" if the server does not know. */
export const connectedWords = ({ participants, presence }: Room): string =>
  presence ? `${participants.filter(({ connected }) => connected).length} connected` : "";

/** Returns what the marks before names mean, or why a cluster has none: each server knows only its own streams. */
export const presenceLegend = ({ presence }: Room): string =>
  presence
    ? "A full dot before a name: a page is open and in view. A ring: no page is, for the time next to it."
    : "The servers of a cluster share this room, so none of them knows who is connected, and names have no dots.";

const MINUTE_MS = 60_000;

/** Returns whether a participant is there. now is the server's time. */
export function presenceOf(participant: Participant, now: number): Presence {
  const { connected, left } = participant;
  const since = Date.parse(left);
  const known = !connected && Number.isFinite(since);
  const away = known && now - since >= MINUTE_MS ? span(now - since) : "";
  const begun = hasBegun(participant);
  const words = connected ? "connected" : known ? `away for ${span(now - since)}` : "not connected";
  return { connected, begun, away, long: begun ? words : `${words}, not started` };
}
