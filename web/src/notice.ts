// What a reader is told when something outside the page does not work.

import { megabytes } from "./answers.ts";
import { button, el } from "./dom.ts";
import type { Offer } from "./runner.ts";

const WORKBOOK = "http://127.0.0.1:8080";

/** Says that no runner answers to a button, and what to start. */
export function unreachableNotice(button: string, place: string): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-problem" },
    el("p", { class: "ots-headline" }, "The runner cannot be reached"),
    el(
      "p",
      {},
      place === ""
        ? `This page was opened from a file, and ${button} needs the runner. `
        : `No runner answers at ${place}, and ${button} needs one. `,
      "Run ",
      el("code", {}, "make serve"),
      ...(isLocal(place)
        ? [" in the clone again, then press the button once more."]
        : [" in the clone, then open ", el("a", { href: WORKBOOK }, WORKBOOK), "."]),
    ),
  );
}

/** Says that no runner answers to a button, and that the page can do without one. then is called when the reader agrees. */
export function offerNotice(what: string, { bytes, pages, chosen, go, accept }: Offer, then: () => void): HTMLElement {
  const notice = el(
    "div",
    { class: "ots-notice is-offer" },
    el("p", { class: "ots-headline" }, `This page can ${what.toLowerCase()} by itself`),
    el(
      "p",
      {},
      `${chosen ? "" : "No runner answers here. "}Go's own compiler, ${go} in WebAssembly, does it in the page. ${megabytes(bytes)} are fetched once, ` +
        `and after the first answer the workbook's pages${pages > 0 ? `, at most ${megabytes(pages)}` : ""}. ` +
        "This browser keeps both: from then on all works without a network.",
    ),
    el("p", {}, button("ots-button is-main", () => {
      accept();
      notice.remove();
      then();
    }, `Fetch ${megabytes(bytes)} and ${what.toLowerCase()}`)),
  );
  return notice;
}

/** Whether the page came from a runner on this machine, whose port is the reader's choice. */
function isLocal(place: string): boolean {
  return URL.canParse(place) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(place).hostname);
}

/** Shows what the runner said when it declined. */
export function refusedNotice(message: string, headline = "The runner did not take it"): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-problem" },
    el("p", { class: "ots-headline" }, headline),
    el("p", {}, message),
  );
}

/** What a notice says, to be read out: its paragraphs and items do not run together. */
export function noticeWords(notice: HTMLElement): string {
  return [...notice.querySelectorAll("p, li")].map((part) => part.textContent).join(" ");
}
