// The submissions that the instructor has shown to the room, without names. What is shown already stays as it is, and
// open.

import { button, el } from "../dom.ts";
import type { SharedSubmission } from "../go/room.ts";
import type { RoomAPI } from "./api.ts";
import { submittedCode } from "./code.ts";
import type { Exercises } from "./data.ts";
import { place, reconcile } from "./redraw.ts";

export interface SharedListOptions {
  api: RoomAPI;
  /** The room's code. */
  code: string;
  exercises: Exercises;
  /** Shows a submission no longer; null for participants. */
  unshare: ((id: string, title: string) => void) | null;
}

export class SharedList {
  readonly root = el("section", { class: "room-shared", "aria-label": "Shared solutions", hidden: true });
  readonly #options: SharedListOptions;
  readonly #list = el("div", {});
  readonly #items = new Map<string, { root: HTMLElement }>();

  constructor(options: SharedListOptions) {
    this.#options = options;
    this.root.append(el("h2", {}, options.unshare ? "Shared with the room" : "Shared by the instructor"), this.#list);
  }

  show(shared: readonly SharedSubmission[]): void {
    this.root.hidden = shared.length === 0;
    const ids = shared.map(({ id }) => id);
    place(this.#list, reconcile(this.#items, ids, (id) => ({ root: this.#item(shared.find((s) => s.id === id)!) })));
  }

  #item({ id, exercise, passed }: SharedSubmission): HTMLElement {
    const { api, code, exercises, unshare } = this.#options;
    const { title } = exercises.get(exercise);
    const label = passed ? `A solution of ${title}` : `An attempt at ${title}, which does not pass`;
    const source = submittedCode(api, code, id, label);
    if (!unshare) return source;
    const stop = button("ots-button", () => unshare(id, title), "Stop sharing");
    stop.setAttribute("aria-label", `Stop sharing: ${label}`);
    return el("div", { class: "room-shared-item" }, source, el("p", { class: "room-controls" }, stop));
  }
}
