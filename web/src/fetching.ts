// Words for a reader while the page fetches Go's compiler, and after it was stored.

import { megabytes, type CheckEvent } from "./responses.ts";

type EventOf<Kind> = Extract<CheckEvent, { kind: Kind }>;

/** Words for one download. */
export class Fetching {
  #announced = "";

  /**
   * Returns words for the progress of the download. announce is set only when a new phase has begun, because hearing
   * each percentage read out would be tiresome.
   */
  words({ share, bytes }: EventOf<"fetching">): { words: string; announce: boolean } {
    // After the download, the parts are compiled and started, which takes a second or two.
    const doing = share < 1 ? "Fetching Go's compiler" : "Making Go's compiler ready";
    const announce = doing !== this.#announced;
    this.#announced = doing;
    return { words: share < 1 ? `${doing}, ${Math.floor(share * 100)} % of ${megabytes(bytes)}` : doing, announce };
  }
}

/** Returns words about whether the browser has stored the parts. why is the reason if it has not, in a sentence. */
export function keptWords(why: string): string {
  if (why !== "") return `Not kept for a later visit. ${why}`;
  return "Kept in this browser: the workbook now works without a network.";
}
