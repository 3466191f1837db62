// The progress in the workspace, which becomes that of this browser. What the page itself found passed does not go the
// other way, because the server records only the checks that it has made. The exercise's line says so.

import { isFields } from "../json.ts";
import { readProgress, type State } from "../progress/file.ts";
import { ProgressStore } from "../progress/progress-store.ts";
import { readSaved } from "../exercise/saved.ts";
import type { Store } from "../store.ts";
import type { Api } from "./api.ts";

/** The store and the server that a copy and the progress go between. */
export interface Surroundings {
  store: Store;
  api: Api;
  /** Tells the widgets of this tab of a value that was stored, as the browser tells other tabs' widgets. */
  announce: (name: string) => void;
}

/** The key of the tag of the progress that was merged last. */
const NAME = "workspace/progress";

const readTag = (json: unknown) => (isFields(json) && typeof json["tag"] === "string" ? json["tag"] : null);

export class WorkspaceProgress {
  readonly #store: Store;
  readonly #api: Api;
  readonly #announce: (name: string) => void;
  #tag = "";
  /** The progress by exercise; null before the first answer. */
  #states: Map<string, State> | null = null;

  constructor({ store, api, announce }: Surroundings) {
    this.#store = store;
    this.#api = api;
    this.#announce = announce;
  }

  /** Returns the progress in an exercise; null if it is not known yet. */
  of(exercise: string): State | null {
    return this.#states && (this.#states.get(exercise) ?? { hints: 0, last: [] });
  }

  /** Notes what the workspace has been told to have been shown, until it says so itself. */
  shown(exercise: string, hints: number, spoiled: boolean): void {
    const before = this.of(exercise);
    if (!before) return;
    this.#states?.set(exercise, { ...before, hints: Math.max(before.hints, hints), ...(spoiled ? { spoiled } : {}) });
  }

  /** Merges the progress of the workspace if it has changed. */
  async sync(): Promise<void> {
    const answer = await this.#api.progress(this.#tag);
    if (!answer) return;
    const states = readProgress(answer.value);
    this.#tag = answer.tag;
    this.#states = states;
    if (this.#store.load(NAME, readTag) !== answer.tag) this.#merge(states);
    this.#store.save(NAME, { tag: answer.tag });
  }

  #merge(states: Map<string, State>): void {
    for (const [id, state] of states) {
      const before = this.#store.load(id, readSaved);
      // The same figures may come with a better headline from this page's own check.
      const known = JSON.stringify(state.last) === JSON.stringify(before?.last?.benchmarks);
      new ProgressStore(this.#store, [id]).merge(new Map([[id, known ? { ...state, last: [] } : state]]), new Date());
      const after = this.#store.load(id, readSaved);
      if (JSON.stringify(after) !== JSON.stringify(before)) this.#announce(id);
    }
  }
}
