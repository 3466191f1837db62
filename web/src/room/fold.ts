// Whether the invitation of a room is folded to a line, because everybody has joined. The browser remembers this for
// each room.

import type { Store } from "../store.ts";

const readFolded = (json: unknown): true | null => (json === true ? true : null);

export class Fold {
  readonly #store: Store;
  readonly #name: string;
  readonly #onChange: () => void;

  /** onChange is called when the invitation is folded or unfolded, here or in another tab. */
  constructor(store: Store, code: string, onChange: () => void) {
    this.#store = store;
    this.#name = `room/folded/${code}`;
    this.#onChange = onChange;
    this.folded = store.load(this.#name, readFolded) === true;
    store.onElsewhere(this.#name, readFolded, (folded) => {
      this.folded = folded === true;
      onChange();
    });
  }

  folded: boolean;

  fold(folded: boolean): void {
    this.folded = folded;
    if (folded) this.#store.save(this.#name, true);
    else this.#store.remove(this.#name);
    this.#onChange();
  }
}
