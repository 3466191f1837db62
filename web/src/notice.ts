// Notices for a reader when something outside the page does not work.

import { unreachableText, isLocal, SERVER_UNREACHABLE } from "./unreachable.ts";
import { el } from "./dom.ts";
import { hasRepository } from "./site-root.ts";

/** Says that no server answered the button's request, and what to do. */
export function unreachableNotice(button: string, url: string): HTMLElement {
  return el("div", { class: "ots-notice is-problem" }, ...away(button, url));
}

/** Returns the paragraphs of this notice. */
export function away(button: string, url: string): HTMLElement[] {
  return [
    el("p", { class: "ots-headline" }, SERVER_UNREACHABLE),
    el(
      "p",
      {},
      unreachableText(url),
      ...(isLocal(url) && hasRepository() ? [" In the clone, that is ", el("code", {}, "make serve"), "."] : []),
      ` Then press ${button} again.`,
    ),
  ];
}

/** Shows why the runner or the engine declined. */
export function refusedNotice(message: string, headline = "The runner refused the request"): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-problem" },
    el("p", { class: "ots-headline" }, headline),
    el("p", {}, message),
  );
}

/** Returns the words of a notice to be read out, with a space between its paragraphs and items. */
export function noticeWords(notice: HTMLElement): string {
  return [...notice.querySelectorAll("p, li")].map((part) => part.textContent).join(" ");
}
