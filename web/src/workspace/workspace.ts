// Keeps this browser in step with the workspace, the folder of exercises that the server on this machine shares with
// checkalloc. A page loads this part only if the server says that it has one.

import { adoptStyle, blockData, el } from "../dom.ts";
import { readExercise } from "../exercise/data.ts";
import type { Store } from "../store.ts";
import { announce } from "./announce.ts";
import { serverApi } from "./api.ts";
import { Copy, type Standing } from "./copy.ts";
import { WorkspaceProgress } from "./progress.ts";

/** The line belongs to the one above it. A narrow page leaves both out, unless the line says more than that all is well. */
const STYLE =
  ".ots-help.is-workspace{margin-block-start:0;padding-block-start:0}.ots-help.is-workspace.is-apart{display:block}";

const POLL_MS = 1000;
/** How long to wait after a failure. */
const FAILED_MS = 5000;

/** An exercise of the page, with the line that says how it stands. */
interface Shown {
  copy: Copy;
  block: HTMLElement;
  line: HTMLElement;
  /** How often in a row the workspace lacked a pass that this browser has. The server records its own a moment later. */
  alone: number;
}

/** What follows the line of an exercise whose pass the workspace lacks. */
const ALONE =
  " Its pass is known to this browser alone: a check on the server or in the terminal records it in the workspace.";

export function followWorkspace(store: Store): void {
  adoptStyle(STYLE);
  const surroundings = { store, api: serverApi, announce };
  const progress = new WorkspaceProgress(surroundings);
  const shown = showsOwnCode() ? [...document.querySelectorAll<HTMLElement>(".ots-exercise")] : [];
  const exercises = shown.flatMap((block): Shown[] => {
    const data = readExercise(blockData(block));
    const line = el("p", { class: "ots-help is-workspace", role: "status" });
    return data ? [{ copy: new Copy(data, progress, surroundings), block, line, alone: 0 }] : [];
  });
  new Follower(store, progress, exercises).follow();
}

/** Reports whether the exercise of this page has the reader's own code, and not what the page's address names. */
function showsOwnCode(): boolean {
  return !location.hash.startsWith("#attempt=") && !new URLSearchParams(location.search).has("try");
}

class Follower {
  readonly #store: Store;
  readonly #progress: WorkspaceProgress;
  readonly #exercises: readonly Shown[];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Why the progress could not be shared, as a sentence; "" if it is. */
  #problem = "";
  /** What is under way. One thing follows the other, so that no answer overtakes an earlier one. */
  #last = Promise.resolve();

  constructor(store: Store, progress: WorkspaceProgress, exercises: readonly Shown[]) {
    this.#store = store;
    this.#progress = progress;
    this.#exercises = exercises;
  }

  follow(): void {
    this.#store.onSave = (name) => {
      const saved = this.#exercises.find(({ copy }) => copy.exercise === name);
      if (saved) this.#then(() => this.#sync(saved, false));
    };
    for (const event of ["focus", "pageshow"]) addEventListener(event, () => this.#poll());
    document.addEventListener("visibilitychange", () => this.#poll());
    this.#poll();
  }

  #then(work: () => Promise<unknown>): void {
    this.#last = this.#last.then(work).then(() => {}, console.error);
  }

  /** Looks at the workspace now, and again after a while, as long as the page is visible. */
  #poll(): void {
    clearTimeout(this.#timer);
    if (document.visibilityState === "hidden") return;
    this.#then(async () => {
      const well = await this.#syncAll();
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#poll(), well ? POLL_MS : FAILED_MS);
    });
  }

  /** Reports whether all went well. */
  async #syncAll(): Promise<boolean> {
    try {
      await this.#progress.sync();
      this.#problem = "";
    } catch (e) {
      this.#problem = ` Your progress is not shared: ${message(e)}.`;
    }
    let well = this.#problem === "";
    for (const exercise of this.#exercises) well = (await this.#sync(exercise, true)) && well;
    return well;
  }

  async #sync(exercise: Shown, poll: boolean): Promise<boolean> {
    try {
      const standing = await exercise.copy.sync(poll);
      if (!exercise.copy.passedHereAlone) exercise.alone = 0;
      else if (poll) exercise.alone++;
      const more = (exercise.alone > 1 ? ALONE : "") + this.#problem;
      show(exercise, words(standing) + more, isWell(standing) && more === "");
      return true;
    } catch (e) {
      show(exercise, `Kept in this browser, but not in your workspace: ${message(e)}.`, false);
      return false;
    }
  }
}

const isWell = (standing: Standing) => standing.name === "same" && standing.missing.length === 0;

/** Shows how an exercise stands in a line below its editor, which appears some time after the page. */
function show({ block, line }: Shown, text: string, well: boolean): void {
  line.classList.toggle("is-apart", !well);
  if (!line.isConnected) block.querySelector(".ots-help")?.after(line);
  if (line.textContent !== text) line.textContent = text;
}

function words(standing: Standing): string {
  const { folder } = standing;
  if (standing.name === "apart")
    return `${folder} in your workspace has the other edit. Show it, or forget it to save this one there.`;
  const { missing } = standing;
  if (missing.length > 0)
    return `${missing.join(" and ")} is missing from ${folder} in your workspace: your next edit saves it again.`;
  return `Saved in ${folder} of your workspace.`;
}

const message = (error: unknown) => (error instanceof Error ? error.message : String(error));
