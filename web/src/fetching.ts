// What a reader is told while the page fetches what it answers with, and after that.

import { megabytes, type CheckNews } from "./responses.ts";

type News<Kind> = Extract<CheckNews, { kind: Kind }>;

/** Tells one who sees the page how far fetching is, and one who does not that it has begun, and that it is over. */
export class Fetching {
  #said = "";

  tell({ share, bytes }: News<"fetching">, show: (words: string) => void, say: (words: string) => void): void {
    // All that is fetched is then made ready, which takes a second or two.
    const doing = share < 1 ? "Fetching Go's compiler" : "Making Go's compiler ready";
    show(share < 1 ? `${doing}, ${Math.floor(share * 100)} % of ${megabytes(bytes)}` : doing);
    if (doing !== this.#said) say((this.#said = doing));
  }
}

export function keptWords({ why }: News<"kept">): string {
  return why === "" ? "Kept in this browser: the workbook now works without a network." : `Not kept for a later visit. ${why}`;
}
