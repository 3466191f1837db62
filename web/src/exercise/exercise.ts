// One exercise on the page: the editor, what the reader did, and what the checker said.

import type { CheckNews } from "../answers.ts";
import { editorHelp, type CodeEditor, type CreateEditor } from "../code-editor.ts";
import { el } from "../dom.ts";
import { errorMarks, findingsNotice, readFindings } from "../errors.ts";
import { Fetching, keptWords } from "../fetching.ts";
import { hashFiles, sameFiles, type Files } from "../files.ts";
import { noticeWords, offerNotice, refusedNotice, unreachableNotice } from "../notice.ts";
import type { CallOptions, Outcome, Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import type { Verdict } from "../verdict/schema.ts";
import { starterView, verdictView } from "../verdict/view.ts";
import { headline, saved as savedWords, sinceLast } from "../verdict/words.ts";
import { starterBenchmarks, type ExerciseData } from "./data.ts";
import { FileTabs } from "./file-tabs.ts";
import { Hints } from "./hints.ts";
import { marksOf } from "./marks.ts";
import { reach, readSaved, type Saved } from "./saved.ts";
import { Toolbar } from "./toolbar.ts";
import { VerdictPane } from "./verdict-pane.ts";
import { whereSwitch } from "../where-switch.ts";

export interface ExerciseParts {
  createEditor: CreateEditor;
  runner: Runner;
  store: Store;
  /** The text above the widget already has the title. */
  titled: boolean;
}

const SAVE_AFTER_MS = 300;

export class Exercise {
  readonly #root: HTMLElement;
  readonly #data: ExerciseData;
  readonly #runner: Runner;
  readonly #store: Store;
  readonly #editor: CodeEditor;
  readonly #toolbar: Toolbar;
  readonly #hints: Hints;
  readonly #verdict: VerdictPane;
  readonly #problem = el("div", { class: "ots-problem" });
  readonly #notes = el("div", { class: "ots-notes" });
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #done = el("span", { class: "ots-done", hidden: true }, "passed");
  readonly #starterHash: string;
  #saved: Saved;
  /** The texts that the verdict on show is about. */
  #checked: Files | null = null;
  #underWay: AbortController | null = null;
  #saveTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, data: ExerciseData, parts: ExerciseParts) {
    this.#root = root;
    this.#data = data;
    this.#runner = parts.runner;
    this.#store = parts.store;
    this.#starterHash = hashFiles(data.files);
    this.#saved = parts.store.load(data.exercise, readSaved) ?? { starter: this.#starterHash, hints: 0, passed: false };
    if (!this.#saved.files) this.#saved.starter = this.#starterHash;

    this.#verdict = new VerdictPane(data.exercise, (words) => this.#say(words));
    const help = `${data.exercise}-help`;
    const code = el("div", { class: "ots-code" });
    this.#editor = parts.createEditor({
      parent: code,
      files: this.#restored(this.#saved),
      file: data.file,
      label: (file) => `${file}, ${data.title}`,
      describedBy: help,
      onChange: () => this.#changed(),
      onCheck: () => void this.#check(),
    });
    this.#hints = new Hints(data.hints, this.#saved.hints, (shown, text) => {
      this.#saved.hints = shown;
      this.#save();
      this.#say(text);
    });
    this.#toolbar = new Toolbar(
      {
        check: () => void this.#check(),
        cancel: () => this.#underWay?.abort(),
        format: () => void this.#format(),
        reset: () => this.#reset(),
        undo: () => this.#editor.undo(),
      },
      this.#hints.more,
      whereSwitch(parts.runner.place, "Checked"),
    );
    const tabs = new FileTabs(Object.keys(data.files), data.file, (file) => this.#editor.show(file));
    root.append(
      el(
        "header",
        { class: "ots-head" },
        el("p", { class: "ots-title" }, el("span", { class: "ots-id" }, data.exercise), !parts.titled && data.title),
        el("div", { class: "ots-head-end" }, tabs.root, this.#done),
      ),
      this.#notes,
      el(
        "div",
        { class: "ots-columns" },
        el(
          "div",
          { class: "ots-work" },
          code,
          this.#toolbar.root,
          el("p", { class: "ots-help", id: help }, editorHelp("checks")),
          this.#hints.list,
        ),
        el("div", { class: "ots-beside" }, this.#problem, this.#verdict.root),
      ),
      this.#live,
    );

    // mdBook turns pages on arrow keys and opens its search on a slash, typed text included.
    root.addEventListener("keydown", (e) => e.stopPropagation());
    // A page that is left may never run another timer.
    addEventListener("pagehide", () => this.#flush());
    parts.store.onElsewhere(data.exercise, readSaved, (saved) => saved && this.#adopt(saved));

    this.#done.hidden = !this.#saved.passed;
    this.#showStart();
    this.#noteStarter();
    if (!parts.store.save(data.exercise, this.#saved)) this.#noteStorage();
  }

  /** The reader's texts over the starter's, as far as the files still exist. */
  #restored(saved: Saved): Files {
    const files = { ...this.#data.files };
    for (const name of Object.keys(files)) {
      const text = saved.files?.[name];
      if (text !== undefined) files[name] = text;
    }
    return files;
  }

  #changed(): void {
    this.#root.classList.toggle("is-stale", this.#checked !== null && !sameFiles(this.#checked, this.#editor.files()));
    this.#toolbar.edited();
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#flush(), SAVE_AFTER_MS);
  }

  #flush(): void {
    if (this.#saveTimer === undefined) return;
    clearTimeout(this.#saveTimer);
    this.#saveTimer = undefined;
    const files = this.#editor.files();
    if (sameFiles(files, this.#data.files)) {
      delete this.#saved.files;
      this.#saved.starter = this.#starterHash;
    } else {
      this.#saved.files = files;
    }
    this.#save();
  }

  #save(): void {
    // Another tab, or a file that was imported, may have got further meanwhile.
    const stored = this.#store.load(this.#data.exercise, readSaved);
    if (stored) reach(this.#saved, stored);
    this.#done.hidden = !this.#saved.passed;
    if (!this.#store.save(this.#data.exercise, this.#saved)) this.#noteStorage();
  }

  /** Another tab saved. Text under the reader's hands is left alone. */
  #adopt(saved: Saved): void {
    if (this.#editor.hasFocus()) return;
    this.#saved = saved;
    this.#done.hidden = !saved.passed;
    this.#hints.show(saved.hints);
    this.#editor.adopt(this.#restored(saved));
    this.#root.classList.toggle("is-stale", this.#checked !== null && !sameFiles(this.#checked, this.#editor.files()));
  }

  async #check(): Promise<void> {
    if (this.#underWay) return;
    const files = this.#editor.files();
    this.#editor.beginCheck();
    this.#verdict.begin();
    const v = await this.#ask("Check", () => this.#check(), (options) => this.#runner.check(this.#data.exercise, files, options));
    this.#verdict.end();
    if (v) this.#show(v, files);
  }

  /** Asks the runner, one thing at a time. Null when there is no answer, and the reader was told why. */
  async #ask<T>(what: "Check" | "Format", again: () => Promise<void>, call: (options: CallOptions) => Promise<Outcome<T>>): Promise<T | null> {
    const underWay = (this.#underWay = new AbortController());
    const doing = what === "Check" ? "Checking…" : "Formatting…";
    this.#toolbar.busy(doing);
    this.#say(doing);
    let outcome: Outcome<T>;
    try {
      outcome = await call({ signal: underWay.signal, onBusy: (s) => this.#busy(s), onNews: this.#newsOf(what, underWay) });
    } finally {
      this.#underWay = null;
      this.#toolbar.idle();
    }
    switch (outcome.kind) {
      case "ok":
        this.#problem.replaceChildren();
        return outcome.value;
      case "unreachable":
        this.#tell(unreachableNotice(what, outcome.place));
        return null;
      case "offer":
        this.#tell(offerNotice(what, outcome.offer, () => {
          void again();
          this.#toolbar.focus();
        }));
        return null;
      case "refused":
        this.#tell(refusedNotice(outcome.message, outcome.headline));
        return null;
      case "canceled":
        this.#toolbar.status("Canceled");
        this.#say("Canceled");
        return null;
    }
  }

  /** Tells what is heard of what is under way, and nothing of it when that is over but what was kept. */
  #newsOf(what: "Check" | "Format", underWay: AbortController): (news: CheckNews) => void {
    const fetching = new Fetching();
    return (news) => {
      if (news.kind === "kept") this.#kept(keptWords(news));
      else if (this.#underWay !== underWay) return;
      else if (what === "Check") this.#verdict.tell(news);
      else if (news.kind === "fetching") fetching.tell(news, (words) => this.#toolbar.status(words), (words) => this.#say(words));
    };
  }

  #show(v: Verdict, files: Files): void {
    const last = this.#saved.last;
    const measured = v.benchmarks.length > 0;
    const progress = measured && last ? sinceLast(v.benchmarks, last.benchmarks) : null;
    this.#checked = files;
    this.#editor.mark(marksOf(v, Object.keys(files)));
    this.#verdict.show(
      verdictView(v, {
        starter: this.#data.starter,
        next: this.#data.next,
        progress,
        source: {
          has: (file) => file in files,
          goTo: (file, line, col) => this.#editor.goTo(file, line, col),
          emphasize: (file, lines) => this.#editor.emphasize(file, lines),
        },
      }),
    );
    this.#root.classList.toggle("is-stale", !sameFiles(files, this.#editor.files()));
    const now = new Date().toISOString();
    if (v.pass) reach(this.#saved, { hints: 0, passed: true, passedAt: now });
    this.#saved.last = {
      headline: headline(v),
      at: now,
      benchmarks: measured
        ? v.benchmarks.map(({ name, allocs_per_op, bytes_per_op }) => ({ name, allocs_per_op, bytes_per_op }))
        : (last?.benchmarks ?? []),
    };
    this.#save();
    const gains = v.pass ? v.benchmarks.map((b) => savedWords(b, this.#data.starter)) : [];
    this.#say([headline(v), ...gains, progress].filter(Boolean).join(". "));
  }

  /** Before a first check: the starter's figures, and what the check before this visit said. */
  #showStart(): void {
    const { last } = this.#saved;
    this.#verdict.show(
      starterView(
        last ? `Before this visit: ${last.headline}` : "Not checked yet",
        last
          ? "Check again to see the lines. The starter measures:"
          : "Check runs the tests and counts what every line allocates. The starter measures:",
        starterBenchmarks(this.#data),
      ),
    );
  }

  async #format(): Promise<void> {
    if (this.#underWay) return;
    const file = this.#editor.current();
    const before = this.#editor.files()[file] ?? "";
    this.#editor.beginCheck();
    const formatted = await this.#ask("Format", () => this.#format(), (options) => this.#runner.format(before, options));
    if (formatted) this.#formatted(file, before, formatted);
  }

  #formatted(file: string, before: string, { body, error }: { body: string; error: string }): void {
    if (error !== "") {
      // The runner calls the file prog.go, whatever its name.
      const findings = readFindings(error).map((f) => ({ ...f, file }));
      const goTo = ({ line, col }: { line: number; col: number }) => this.#editor.goTo(file, line, col);
      this.#editor.mark({ [file]: { lines: errorMarks(findings), errors: findings.filter((f) => f.line > 0) } });
      this.#tell(findingsNotice({ kind: "error", headline: `${file} cannot be formatted`, findings, only: file, goTo }));
      return;
    }
    if (this.#editor.files()[file] !== before) {
      this.#toolbar.status("Edited meanwhile, not formatted");
      return;
    }
    if (body !== before) this.#editor.replace({ [file]: body });
    this.#toolbar.status(body === before ? "Already formatted" : "Formatted");
    this.#say(body === before ? "Already formatted" : "Formatted");
  }

  #reset(): void {
    this.#editor.replace(this.#data.files);
    this.#saved.starter = this.#starterHash;
    this.#notes.querySelector(".is-starter")?.remove();
    this.#flush();
    this.#say("The starter is back");
  }

  #busy(seconds: number): void {
    this.#verdict.again();
    const words = `The runner is busy, trying again in ${seconds} s`;
    this.#toolbar.status(words);
    this.#say(words);
  }

  #kept(words: string): void {
    if (this.#underWay) return;
    this.#toolbar.status(words);
    this.#say(words);
  }

  #tell(notice: HTMLElement): void {
    this.#problem.replaceChildren(notice);
    this.#say(noticeWords(notice));
  }

  #say(words: string): void {
    this.#live.textContent = words;
  }

  #noteStarter(): void {
    if (!this.#saved.files || this.#saved.starter === this.#starterHash) return;
    this.#notes.append(
      el(
        "p",
        { class: "ots-note is-starter" },
        "The starter has changed since you began. Your text is kept; Reset takes the new starter.",
      ),
    );
  }

  #noteStorage(): void {
    if (this.#notes.querySelector(".is-storage")) return;
    this.#notes.append(
      el(
        "p",
        { class: "ots-note is-storage" },
        "This browser's storage is blocked or full: your edits last until you leave the page.",
      ),
    );
  }
}
