// The submissions of an exercise that the instructor has shared with the room, on the exercise's page.

import { adoptStyle, el } from "../dom.ts";
import type { Room, SharedSubmission } from "../go/room.ts";
import type { RoomAPI } from "./api.ts";
import { submittedCode } from "./code.ts";

declare const SHARED_STYLE: string;

export class SharedLine {
  readonly root = el("div", { class: "ots-shared", hidden: true });
  readonly #exercise: string;
  readonly #items = new Map<string, HTMLElement>();

  constructor(exercise: string) {
    adoptStyle(SHARED_STYLE);
    this.#exercise = exercise;
  }

  /** Shows what is shared. Returns what to tell somebody who does not see the page; "" if nothing is new. */
  show(room: Room | null, api: RoomAPI | null): string {
    const shared = room?.shared.filter(({ exercise }) => exercise === this.#exercise) ?? [];
    for (const [id, item] of this.#items) {
      if (shared.some((s) => s.id === id)) continue;
      item.remove();
      this.#items.delete(id);
    }
    const added = shared.filter(({ id }) => !this.#items.has(id));
    for (const { id, passed } of added) {
      if (!room || !api) break;
      const label = passed ? "A shared solution" : "A shared attempt, which does not pass";
      const item = submittedCode(api, room.room, id, label);
      this.#items.set(id, item);
      this.root.append(item);
    }
    this.root.hidden = this.#items.size === 0;
    return sharedWords(added);
  }
}

/** Returns a sentence about submissions that were shared just now; "" if there are none. */
export function sharedWords(added: readonly SharedSubmission[]): string {
  const newest = added.at(-1);
  if (!newest) return "";
  return `The instructor has shared ${newest.passed ? "a solution" : "an attempt that does not pass"}.`;
}
