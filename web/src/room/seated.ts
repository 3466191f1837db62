// Whether this browser is in a room. It is apart from the rest, because every page with an exercise asks.

import type { Store } from "../store.ts";

/** The name under which the browser stores the participant's place: see seat.ts. */
export const SEAT = "room/seat";

/** Resolves once this browser is in a room: at once, or when another tab joins one. */
export function whenSeated(store: Store): Promise<void> {
  const seated = (json: unknown) => (json === null ? null : true);
  return new Promise((resolve) => {
    if (store.load(SEAT, seated)) resolve();
    else store.onElsewhere(SEAT, seated, (there) => there && resolve());
  });
}
