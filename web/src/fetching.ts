// Words for a reader while the page fetches Go's compiler, and after that.

import { megabytes, type CheckNews } from "./responses.ts";

type News<Kind> = Extract<CheckNews, { kind: Kind }>;

/** Words for one download. */
export class Fetching {
  #announced = "";

  /**
   * Returns words for how much has been fetched. announce is set when something new has begun: it would be tiresome to
   * hear each percentage read out.
   */
  words({ share, bytes }: News<"fetching">): { words: string; announce: boolean } {
    // What was fetched is then compiled and started, which takes a second or two.
    const doing = share < 1 ? "Fetching Go's compiler" : "Making Go's compiler ready";
    const announce = doing !== this.#announced;
    this.#announced = doing;
    return { words: share < 1 ? `${doing}, ${Math.floor(share * 100)} % of ${megabytes(bytes)}` : doing, announce };
  }
}

/** Returns words for what the browser has stored. why is the reason if it has not, in a sentence. */
export function keptWords(why: string): string {
  if (why !== "") return `Not kept for a later visit. ${why}`;
  return "Kept in this browser: the workbook now works without a network.";
}
