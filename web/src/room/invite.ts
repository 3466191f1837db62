// How participants join, on the instructor's page: the QR code, the address and a choice of another, and the room's
// code.

import { button, el } from "../dom.ts";
import { brokenAddress, shortened, type JoinAddress } from "./address.ts";
import type { Fold } from "./fold.ts";
import type { KnownPlan } from "./data.ts";
import { qrCode } from "./qr.ts";

export interface InviteOptions {
  code: string;
  address: JoinAddress;
  plans: readonly KnownPlan[];
  fold: Fold;
  /** Called when another address was chosen. */
  onChoice: () => void;
}

/** Returns why participants have no address that they can open; "" if they have one. */
export function whyNoAddress(address: JoinAddress): string {
  if (!address.known) return "";
  if (address.site === null)
    return "This machine is on no network, so participants cannot open it. Once it is, the address appears here.";
  if (address.local)
    return (
      "Only this machine can open this address. For a class, start the server on its network: " +
      "make room ADDR=0.0.0.0:8080."
    );
  return "";
}

/** Returns the QR code and the words for the address and the code. They are empty without an address. */
export function joinWords(code: string, address: JoinAddress): { qr: SVGSVGElement | null; words: string } {
  const { site } = address;
  if (site === null) return { qr: null, words: "" };
  const href = `${site}join/#${code}`;
  return { qr: qrCode(href, `QR code of ${href}`), words: shortened(`${site}join`) };
}

/** Returns the address and the code in a line, with a button that shows the whole invitation again. */
export function foldedLine(code: string, address: JoinAddress, fold: Fold): HTMLElement {
  const { words } = joinWords(code, address);
  return el(
    "p",
    { class: "room-folded" },
    words !== "" && el("span", { class: "room-address" }, ...brokenAddress(words)),
    el("span", { class: "room-folded-code" }, code),
    button("ots-button is-quiet", () => fold.fold(false), "Show the invitation"),
  );
}

function projectorLinks(code: string): HTMLElement[] {
  const href = `#${code}/projector`;
  return [
    el("a", { class: "ots-button", href }, "Projector view"),
    // A window that this page opens has the token of this tab.
    el("a", { class: "ots-button is-quiet", href, target: "_blank", rel: "opener" }, "in its own window"),
  ];
}

export class Invite {
  readonly root = el("div", { class: "room-invite" });
  readonly #options: InviteOptions;

  constructor(options: InviteOptions) {
    this.#options = options;
    this.draw();
  }

  draw(): void {
    const { code, address, fold } = this.#options;
    this.root.classList.toggle("is-folded", fold.folded);
    if (fold.folded) {
      return this.root.replaceChildren(foldedLine(code, address, fold), ...projectorLinks(code), this.#plans());
    }
    const { qr, words } = joinWords(code, address);
    const why = whyNoAddress(address);
    this.root.replaceChildren(
      ...(qr ? [qr] : []),
      el(
        "div",
        {},
        words !== "" &&
          el(
            "p",
            {},
            el("span", { class: "room-hint" }, "Open "),
            el("span", { class: "room-address" }, ...brokenAddress(words)),
            el("span", { class: "room-hint" }, " and type"),
          ),
        why !== "" && el("p", { class: "room-problem" }, why),
        el("p", { class: "room-big-code" }, code),
        el(
          "p",
          { class: "room-controls" },
          ...projectorLinks(code),
          button("ots-button", () => fold.fold(true), "Everybody is in"),
        ),
        this.#plans(),
        this.#otherAddress(),
      ),
    );
  }

  #plans(): HTMLElement {
    const { code, plans } = this.#options;
    return el(
      "p",
      { class: "room-controls room-plans" },
      "Plans, with this code on the first slide:",
      ...plans.map(({ title, href }) => el("a", { href: `${href}?room=${code}` }, title)),
    );
  }

  /** Offers the other addresses of the server, and a field for one that it does not know. */
  #otherAddress(): HTMLElement {
    const { address } = this.#options;
    const choose = (site: string) => {
      const wrong = address.choose(site);
      if (wrong === "") this.#options.onChoice();
      return wrong;
    };
    const select = el(
      "select",
      { "aria-label": "Address for participants" },
      ...address.choices.map((site) => el("option", { value: site, selected: site === address.site }, shortened(site))),
    );
    select.addEventListener("change", () => void choose(select.value));
    const field = el("input", {
      placeholder: "192.168.1.20:8080",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Another address for participants",
    });
    const problem = el("span", { class: "room-problem", role: "alert" });
    const form = el(
      "form",
      { class: "room-other-address" },
      address.choices.length > 1 && el("p", {}, select),
      el("p", { class: "room-hint" }, "If participants cannot open it, choose or type another address of the server."),
      field,
      el("button", { class: "ots-button", type: "submit" }, "Use it"),
      problem,
    );
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      problem.textContent = choose(field.value);
    });
    return el("details", {}, el("summary", {}, "Another address for participants"), form);
  }
}
