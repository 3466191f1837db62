// The editor's page, with one program.

import { editorHelp, type CreateEditor } from "../code-editor.ts";
import { button, el } from "../dom.ts";
import type { Example } from "../go/play.ts";
import { besideMain } from "../program/benchmarks.ts";
import { ProgramEditor } from "../program/program-editor.ts";
import { Workbench, type What } from "../program/workbench.ts";
import type { Runner } from "../runner.ts";
import type { Panes } from "../shell/panes.ts";
import type { Store } from "../store.ts";
import { addressOf, programHere } from "./address.ts";
import type { Drafts } from "./drafts.ts";
import { exampleMenu } from "./example-menu.ts";
import { EXAMPLES, HELLO } from "./examples.ts";
import { layOutPlay } from "./layout.ts";
import { Releases } from "./releases.ts";
import { releasesHere, setStep, stepHere } from "../step/address.ts";
import { whereSwitch } from "../where-switch.ts";

/** The parts from which the page is made. */
export interface PlayParts {
  createEditor: CreateEditor;
  runner: Runner;
  /** The server, which may have other releases of Go than the runner's own. */
  server: Pick<Runner, "step">;
  drafts: Drafts;
  /** Keeps the widths of the panes. */
  store: Store;
  /** The ID of the shared program; "" on the page without one. */
  id: string;
  /** The text of the program on the runner. */
  text: string;
}

const SAVE_AFTER_MS = 300;
const TITLE = "On the Stack";

export class Play {
  readonly #drafts: Drafts;
  readonly #editor: ProgramEditor;
  readonly #bench: Workbench;
  readonly #panes: Panes<"code" | "result">;
  readonly #runner: Runner;
  readonly #releases: Releases;
  readonly #version = el("span", { class: "ots-version" });
  readonly #examples = exampleMenu((example) => this.#begin(example));
  /** Measures the benchmarks of a program whose main function Run calls. */
  readonly #benchmark = button("ots-button", () => void this.#bench.start("Report"), "Benchmark");
  readonly #reset = button("ots-button is-quiet is-keeping", () => this.#showOriginal(), "Reset");
  readonly #undo = button("ots-button is-quiet", () => this.#restore(), "Undo");
  readonly #notes = el("div", { class: "ots-notes" });
  /** The shared programs that this page has shown, by ID. */
  readonly #originals = new Map<string, string>();
  #id: string;
  /** The book's examples that were opened. An unedited one can be replaced without asking. */
  readonly #begun = new Set<string>();
  /** The text that Undo restores. */
  #replaced: string | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, { createEditor, runner, server, drafts, store, id, text }: PlayParts) {
    this.#runner = runner;
    this.#releases = new Releases(runner, server);
    this.#drafts = drafts;
    this.#id = id;
    this.#originals.set(id, text || HELLO.text);
    const code = el("div", { class: "ots-code" });
    const help = el("p", { class: "ots-help", id: "ots-play-help" }, editorHelp("runs"));
    const draft = drafts.load(id);
    this.#editor = new ProgramEditor(createEditor, {
      parent: code,
      text: draft ?? this.#original(),
      describedBy: help.id,
      onChange: () => this.#edited(),
      onRun: () => void this.#bench.start("Run"),
      onGoTo: () => this.#panes.show("code"),
    });
    this.#bench = new Workbench({
      block: root,
      runner,
      text: this.#editor,
      step: this.#releases.step,
      others: [this.#benchmark, this.#reset],
      onStart: (what) => this.#started(what),
      onRan: (text) => this.#leftOut(text),
      onStep: (at) => setStep(at, this.#releases.stepped),
      onShared: ({ id }, text) => this.#shared(id, text),
    });
    this.#bench.result.append(
      el(
        "p",
        { class: "ots-none" },
        "Run shows here what the program prints. Step shows its stack and its heap after each statement. " +
          "Report shows what the compiler says about its memory.",
      ),
    );
    const where = whereSwitch(runner.choice, "Programs run");
    where.addEventListener("change", () => void this.#switched());
    const [bench, releases, notes] = [this.#bench, this.#releases.root, this.#notes];
    const [version, examples, benchmark] = [this.#version, this.#examples, this.#benchmark];
    const [reset, undo] = [this.#reset, this.#undo];
    const parts = { bench, version, where, examples, releases, benchmark, reset, undo, notes, code, help };
    this.#panes = layOutPlay(root, parts, store);
    this.#undo.hidden = true;
    this.#bench.listen(document);
    addEventListener("popstate", () => this.#moved());
    // Timers may not run any more once the reader has left the page.
    addEventListener("pagehide", () => this.#flush());
    this.#shown(draft !== null && draft !== this.#original());
    runner.choice?.prepare(() => ({ kind: "compile", body: this.#editor.text() }));
    void this.#open();
  }

  /** Brings the pane into view that will show the result. */
  #started(what: What): void {
    this.#undo.hidden = true;
    if (what !== "Format") this.#panes.show("result");
  }

  /** Returns what to say below the output of a program whose benchmarks did not run. */
  #leftOut(text: string): HTMLElement | null {
    const names = besideMain(text);
    if (names.length === 0) return null;
    const [left, them] = names.length === 1 ? [`${names[0]} was`, "it"] : [`${names.length} benchmarks were`, "them"];
    const measure = button("ots-button", () => void this.#bench.start("Report"), `Measure ${them}`);
    return el("p", { class: "ots-ask" }, `Run calls main, so ${left} not measured.`, measure);
  }

  /** Shows the release, and the step that the address names. */
  async #open(): Promise<void> {
    const [at, ids] = [stepHere(), releasesHere()];
    const looked = this.#look();
    if (at === null) return looked;
    if (ids === "") return this.#bench.start("Step", at);
    await looked;
    const offered = this.#releases.choose(ids);
    await this.#bench.start("Step", at);
    if (!offered) this.#bench.say(`The link names Go ${ids.replace(",", " and ")}, which is not offered here`);
  }

  /** Shows which release runs programs, and offers the releases on which one can step. */
  async #look(): Promise<void> {
    const version = this.#runner.version().then((version) => {
      if (version.kind === "ok") this.#version.textContent = version.value;
    });
    await Promise.all([version, this.#releases.look()]);
  }

  /** Updates the releases after the reader has chosen the server or the page. */
  async #switched(): Promise<void> {
    const several = !this.#releases.root.hidden;
    await this.#look();
    if (several && this.#releases.root.hidden) this.#bench.say("This page has one release of Go. The server has more");
  }

  #original(): string {
    return this.#originals.get(this.#id) ?? HELLO.text;
  }

  /** Offers the benchmarks that Run leaves out. */
  #offerBenchmarks(): void {
    const names = besideMain(this.#editor.text());
    this.#benchmark.hidden = names.length === 0;
    this.#benchmark.title = `Measure ${names.join(", ")}: Run calls main`;
  }

  /** Updates the page after its text has been replaced. draft says whether the text is a draft of an earlier visit. */
  #shown(draft: boolean): void {
    document.title = this.#id === "" ? `Play · ${TITLE}` : `Program ${this.#id} · ${TITLE}`;
    this.#showReset();
    this.#offerBenchmarks();
    if (draft) this.#bench.say(`Your edit is back. Reset shows the ${this.#id === "" ? "first" : "shared"} program.`);
  }

  #showReset(): void {
    const hidden = this.#editor.text() === this.#original();
    if (hidden && document.activeElement === this.#reset) this.#editor.focus();
    this.#reset.hidden = hidden;
  }

  #edited(): void {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#flush(), SAVE_AFTER_MS);
    this.#undo.hidden = true;
    this.#showReset();
    this.#offerBenchmarks();
    this.#bench.edited();
    if (!this.#bench.busy) this.#bench.say("");
  }

  #flush(): void {
    if (this.#saveTimer === undefined) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const text = this.#editor.text();
    if (text === this.#original()) this.#drafts.remove(this.#id);
    else if (!this.#drafts.save(this.#id, text)) this.#noteStorage();
  }

  /** Changes the page's URL to the URL of a shared program. The back button leads to the program before. */
  #shared(id: string, text: string): void {
    this.#originals.set(id, text);
    if (id !== this.#id) {
      this.#flush();
      // The draft of another program is now stored on the runner.
      if (this.#id !== "" && this.#drafts.load(this.#id) === text) this.#drafts.remove(this.#id);
      history.pushState(null, "", addressOf(id));
      this.#id = id;
      document.title = `Program ${id} · ${TITLE}`;
    }
    // If the reader has edited the text meanwhile, the edit is a draft of the shared program.
    this.#saveTimer ??= setTimeout(() => this.#flush());
    this.#showReset();
  }

  /** Shows the program of the URL after the reader went back or forward. */
  #moved(): void {
    const id = programHere();
    if (id === this.#id) return;
    this.#flush();
    // This page has not shown that program, so only the runner has it.
    if (!this.#originals.has(id)) return location.reload();
    this.#go(id);
  }

  #go(id: string): void {
    this.#id = id;
    const draft = this.#drafts.load(id);
    this.#bench.stop();
    this.#panes.show("code");
    this.#editor.adopt(draft ?? this.#original());
    this.#editor.toTop();
    this.#bench.clear();
    this.#bench.link.hide();
    this.#undo.hidden = true;
    this.#shown(draft !== null && draft !== this.#original());
  }

  /** Shows an example, on the page without a shared program, because it is not a draft of one. */
  #begin({ title, text }: Example): void {
    if (this.#bench.busy) return;
    if (this.#id !== "") {
      this.#flush();
      if (!this.#originals.has("")) this.#originals.set("", HELLO.text);
      history.pushState(null, "", addressOf(""));
      this.#go("");
    }
    this.#begun.add(text);
    this.#replace(text, `${title} takes the place of your program.`);
  }

  /** Shows the original program again. */
  #showOriginal(): void {
    if (!this.#bench.busy) this.#replace(this.#original(), "Your edit was removed. Undo brings it back.");
  }

  /** Replaces the reader's text, which Undo restores if the reader had edited it. */
  #replace(text: string, words: string): void {
    const before = this.#editor.text();
    if (before === text) return;
    const edited = before !== this.#original() && !this.#begun.has(before) && !EXAMPLES.some((e) => e.text === before);
    this.#editor.replace(text);
    this.#editor.toTop();
    this.#bench.clear();
    this.#flush();
    if (!edited) return;
    this.#replaced = before;
    this.#bench.say(words);
    this.#undo.hidden = false;
    this.#undo.focus();
  }

  #restore(): void {
    if (this.#replaced !== null) this.#editor.replace(this.#replaced);
    this.#replaced = null;
    this.#editor.focus();
  }

  #noteStorage(): void {
    if (this.#notes.hasChildNodes()) return;
    this.#notes.append(
      el(
        "p",
        { class: "ots-note" },
        "This browser's storage is blocked or full: your edits last until you leave the page.",
      ),
    );
  }
}
