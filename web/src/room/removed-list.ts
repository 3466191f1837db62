// The participants whom the instructor has removed, and lets back in.

import { button, el } from "../dom.ts";
import type { Removed } from "../go/room.ts";
import { plural } from "./words.ts";

export class RemovedList {
  readonly root = el("details", { class: "room-removed", hidden: true });
  readonly #summary = el("summary", {});
  readonly #list = el("ul", {});
  readonly #restore: (id: string, name: string) => void;

  constructor(restore: (id: string, name: string) => void) {
    this.#restore = restore;
    this.root.append(
      this.#summary,
      el(
        "p",
        { class: "room-hint" },
        "What they handed in is kept in the grades and the archive. Somebody who is let back in continues from there.",
      ),
      this.#list,
    );
  }

  show(removed: readonly Removed[]): void {
    const shown = JSON.stringify(removed);
    if (this.root.dataset["shown"] === shown) return;
    this.root.dataset["shown"] = shown;
    this.root.hidden = removed.length === 0;
    this.#summary.textContent = `${plural(removed.length, "participant")} removed`;
    this.#list.replaceChildren(
      ...removed.map(({ id, name, submissions }) =>
        el(
          "li",
          {},
          el("bdi", {}, name),
          el("span", { class: "room-hint" }, ` ${plural(submissions, "submission")} `),
          button(
            "ots-button is-quiet",
            () => this.#restore(id, name),
            "Let back in",
            el("span", { class: "ots-unseen" }, ` ${name}`),
          ),
        ),
      ),
    );
  }
}
