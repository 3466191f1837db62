// The notice that offers to do the work in the page, with what that would fetch. There is an offer only once this module
// has been loaded, with the modules that find the engine.

import { button, el } from "../dom.ts";
import { away } from "../notice.ts";
import { megabytes } from "../responses.ts";
import type { Offer } from "../runner.ts";
import { siteRoot } from "../site-root.ts";

/**
 * Says that no server answers, and offers to do the work in the page. then is called when the reader accepts, or asks
 * the server again.
 */
export function offerNotice(offer: Offer, what: string, then: () => void): HTMLElement {
  const { bytes, pages, chosen, keeps, expected, go } = offer;
  const does = what.toLowerCase();
  const choose = (className: string, words: string, chosen: () => void) =>
    button(className, () => {
      chosen();
      notice.remove();
      then();
    }, words);
  // Asking the server needs no download, so that choice comes first if there may be a server.
  const serverFirst = chosen ? !keeps : expected;
  const fetchClass = serverFirst ? "ots-button" : "ots-button is-main";
  const fetch = choose(fetchClass, `Fetch ${megabytes(bytes)} and ${does}`, offer.accept);
  const ask = serverFirst && choose("ots-button is-main", chosen ? "Ask the server" : "Try again", offer.decline);
  const compiler = `Go's own compiler, ${go} in WebAssembly, runs in the page.`;
  const max = pages > 0 ? `, at most ${megabytes(pages)}` : "";
  const cost = keeps
    ? `This fetches ${megabytes(bytes)} once and, after the first answer, also the workbook's pages${max}. ` +
      "This browser keeps both, so everything then works without a network."
    : `${megabytes(bytes)} are fetched now, and again on each later visit: ` +
      (isSecureContext
        ? "this browser keeps no files for this page."
        : "this page came over plain http, and browsers keep such files only from https.");
  const notice = el("div", { class: "ots-notice is-offer" });
  const parts =
    serverFirst && !chosen
      ? [
          ...away(what, siteRoot()),
          el("p", {}, ask),
          el("p", {}, `Or let this page ${does} by itself. ${compiler} ${cost}`),
          el("p", {}, fetch),
        ]
      : [
          el("p", { class: "ots-headline" }, `This page can ${does} by itself`),
          el("p", {}, `${chosen ? "" : "No server answers here. "}${compiler} ${cost}`),
          el("p", {}, ask, ask && " ", fetch),
        ];
  notice.append(...parts);
  return notice;
}
