// Words for a reader while the page fetches and starts Go's compiler, and after it was stored.

import { megabytes, type CheckEvent } from "./responses.ts";

type EventOf<Kind> = Extract<CheckEvent, { kind: Kind }>;

/** Words for one start of the compiler. */
export class Fetching {
  #announced = "";

  /**
   * Returns words for the progress of the start. announce is set only when a new phase has begun, because hearing each
   * percentage read out would be tiresome.
   */
  words(event: EventOf<"fetching" | "starting">): { words: string; announce: boolean } {
    const doing = event.kind === "fetching" ? "Fetching Go's compiler" : "Starting Go's compiler";
    const announce = doing !== this.#announced;
    this.#announced = doing;
    if (event.kind === "starting") return { words: doing, announce };
    return { words: `${doing}, ${Math.floor(event.share * 100)} % of ${megabytes(event.bytes)}`, announce };
  }
}

/** Returns words about whether the browser has stored the parts. why is the reason if it has not, in a sentence. */
export function keptWords(why: string): string {
  if (why !== "") return `Not kept for a later visit. ${why}`;
  return "Kept in this browser: the workbook now works without a network.";
}
