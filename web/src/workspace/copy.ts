// One exercise: the text in this browser's storage, and the reader's files in the workspace. Each change of one goes to
// the other. To the editor, a change in the workspace is one that another tab has saved.

import { hashFiles, sameFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import type { WorkspaceCopy } from "../go/workspace.ts";
import { mergeAsides, readSaved, type Saved } from "../exercise/saved.ts";
import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import type { Api, Tagged } from "./api.ts";
import type { Surroundings, WorkspaceProgress } from "./progress.ts";

/** The text that the browser and a workspace had in common last. */
interface Common {
  workspace: string;
  files: Files;
}

function readCommon(json: unknown): Common | null {
  if (!isFields(json) || typeof json["workspace"] !== "string" || !isFields(json["files"])) return null;
  return { workspace: json["workspace"], files: json["files"] as Files };
}

/** What a reader is told about an exercise in the workspace. */
export type Standing =
  | { name: "same"; folder: string; missing: readonly string[] }
  /** Both have changed. The text of the workspace is among the asides, and nothing is written until the reader chooses. */
  | { name: "apart"; folder: string };

/** How often a text is written again that another program has replaced meanwhile, before the next poll. */
const ATTEMPTS = 3;

export class Copy {
  readonly #data: ExerciseData;
  readonly #store: Store;
  readonly #api: Api;
  readonly #announce: (name: string) => void;
  readonly #progress: WorkspaceProgress;
  #disk: Tagged<WorkspaceCopy> | null = null;
  /** The asides of which the editor was told, while the workspace has one of them; "" otherwise. */
  #announced = "";

  constructor(data: ExerciseData, progress: WorkspaceProgress, { store, api, announce }: Surroundings) {
    this.#data = data;
    this.#progress = progress;
    this.#store = store;
    this.#api = api;
    this.#announce = announce;
  }

  get exercise(): string {
    return this.#data.exercise;
  }

  /** Whether this browser has a pass that the workspace does not have, such as one that the page itself has found. */
  get passedHereAlone(): boolean {
    const there = this.#progress.of(this.exercise);
    return this.#saved().passed && there !== null && there.passed === undefined;
  }

  /** Brings both in step. With poll it asks the server for the files first. Rejects with what a reader is told. */
  async sync(poll: boolean): Promise<Standing> {
    if (poll || !this.#disk) this.#disk = (await this.#api.copy(this.exercise, this.#disk?.tag ?? "")) ?? this.#disk;
    let standing = this.#compare();
    for (let i = 0; i < ATTEMPTS && standing === null; i++) standing = await this.#write();
    return standing ?? this.#standing("apart");
  }

  /** The text that both had in common last. */
  get #common(): Files {
    const common = this.#store.load(this.#name, readCommon);
    return common?.workspace === this.#disk?.value.workspace && common ? common.files : this.#data.files;
  }

  set #common(files: Files) {
    if (!sameFiles(files, this.#common)) this.#store.save(this.#name, { workspace: this.#disk!.value.workspace, files });
  }

  get #name(): string {
    return `workspace/${this.exercise}`;
  }

  #saved(): Saved {
    const fresh = { starter: hashFiles(this.#data.files), hints: 0, passed: false };
    return this.#store.load(this.exercise, readSaved) ?? fresh;
  }

  /** Returns the texts of the exercise's files, each from the first of the sources that has it. */
  #texts(...sources: (Files | undefined)[]): Files {
    const names = Object.keys(this.#data.files);
    return Object.fromEntries(names.map((name) => [name, sources.find((s) => s?.[name] !== undefined)?.[name] ?? ""]));
  }

  /** Takes over the text of the workspace if only that has changed. Returns null if the browser's is to be written. */
  #compare(): Standing | null {
    const saved = this.#saved();
    const mine = this.#texts(saved.files, this.#data.files);
    // A file that was deleted counts as unchanged: the next edit writes it again.
    const theirs = this.#texts(this.#disk!.value.files, this.#common);
    if (sameFiles(mine, theirs)) {
      this.#common = theirs;
      this.#announced = "";
      return this.#shownMore(saved) ? null : this.#standing("same");
    }
    const asides = saved.asides ?? [];
    if (sameFiles(theirs, this.#common)) {
      if (!asides.some((files) => sameFiles(files, theirs))) return null;
      this.#tell(asides);
      return this.#standing("apart");
    }
    if (sameFiles(mine, this.#common)) {
      this.#adopt(saved, theirs);
      this.#common = theirs;
      return this.#standing("same");
    }
    // If the workspace had another text to choose before, the reader has replaced that there.
    const others = asides.filter((files) => this.#announced === "" || !sameFiles(files, this.#common));
    saved.asides = mergeAsides(others, [], [theirs]);
    this.#save(saved);
    this.#common = theirs;
    this.#tell(saved.asides);
    return this.#standing("apart");
  }

  #standing(name: Standing["name"]): Standing {
    const { folder, missing } = this.#disk!.value;
    return name === "same" ? { name, folder, missing } : { name, folder };
  }

  #adopt(saved: Saved, files: Files): void {
    if (!saved.files) saved.starter = hashFiles(this.#data.files);
    if (sameFiles(files, this.#data.files)) delete saved.files;
    else saved.files = files;
    this.#save(saved);
    this.#announce(this.exercise);
  }

  #save(saved: Saved): void {
    if (!this.#store.save(this.exercise, saved)) throw new Error("this browser's storage is blocked or full");
  }

  /** Tells the editor, once, that there is another text to choose. */
  #tell(asides: readonly Files[]): void {
    const text = JSON.stringify(asides);
    if (text === this.#announced) return;
    this.#announced = text;
    this.#announce(this.exercise);
  }

  /** Reports whether this browser showed hints, or the solution before a pass, of which the workspace does not know. */
  #shownMore(saved: Saved): boolean {
    const there = this.#progress.of(this.exercise);
    if (!there) return false;
    const spoiled = saved.spoiled && !there.spoiled && there.passed === undefined;
    return spoiled || Math.min(saved.hints, this.#data.hints.length) > there.hints;
  }

  /** Writes the browser's text. Returns null if the workspace has another text by now and it is to be tried again. */
  async #write(): Promise<Standing | null> {
    const saved = this.#saved();
    const files = this.#texts(saved.files, this.#data.files);
    const { hints, spoiled = false } = saved;
    const { stored, ...disk } = await this.#api.save(this.exercise, { files, hints, spoiled }, this.#disk!.tag);
    this.#disk = disk;
    if (!stored) return this.#compare();
    this.#common = files;
    this.#announced = "";
    this.#progress.shown(this.exercise, hints, spoiled);
    return this.#standing("same");
  }
}
