// One exercise on the page: the editor, what the reader did, and what the checker said.

import { editorHelp, type CodeEditor, type CreateEditor } from "../code-editor.ts";
import { button, el } from "../dom.ts";
import { errorMarks, findingsNotice, readFindings } from "../errors.ts";
import { Fetching, keptWords } from "../fetching.ts";
import { hashFiles, sameFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import type { Verdict } from "../go/runner.ts";
import { noticeWords, offerNotice, refusedNotice, unreachableNotice } from "../notice.ts";
import type { CheckNews } from "../responses.ts";
import type { CallOptions, Outcome, Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import { startView, verdictView } from "../verdict/view.ts";
import { headline, saved as savedWords, sinceLast } from "../verdict/words.ts";
import { fetchJSON } from "../fetch-json.ts";
import { functionLine, nextUnsolved } from "./data.ts";
import { FileTabs } from "./file-tabs.ts";
import { Hints } from "./hints.ts";
import { marksOf } from "./marks.ts";
import { keptVerdict, reach, readKeptVerdict, readSaved, verdictName, type Saved } from "./saved.ts";
import { Solution } from "./solution.ts";
import { readSolution } from "./solution-data.ts";
import { Toolbar } from "./toolbar.ts";
import { VerdictPane } from "./verdict-pane.ts";
import { whereSwitch } from "../where-switch.ts";

export interface ExerciseParts {
  createEditor: CreateEditor;
  runner: Runner;
  store: Store;
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
  readonly #tabs: FileTabs;
  readonly #solution: Solution;
  readonly #problem = el("div", { class: "ots-problem" });
  readonly #notes = el("div", { class: "ots-notes" });
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #done = el("span", { class: "ots-done", hidden: true }, "passed");
  readonly #starterHash: string;
  #saved: Saved;
  /** The text that this tab last read from storage or wrote there. Any other text in storage was saved by another tab. */
  #known: Files;
  #tests: Promise<void> | null = null;
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
    this.#known = this.#restored(this.#saved);

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
      whereSwitch(parts.runner.choice, "Checked"),
    );
    this.#tabs = new FileTabs(Object.keys(data.files), data.tests.files, data.file, (file) => void this.#open(file));
    this.#solution = new Solution(data.solution, () => this.#editor.files());
    root.append(
      el(
        "header",
        { class: "ots-head" },
        this.#tabs.root,
        el("p", { class: "ots-head-end" }, el("span", { class: "ots-id" }, data.exercise), this.#done),
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
      this.#solution.root,
      this.#live,
    );

    // mdBook turns pages on arrow keys and opens its search on a slash, typed text included.
    root.addEventListener("keydown", (e) => e.stopPropagation());
    // A page that is left may never run another timer.
    addEventListener("pagehide", () => this.#flush());
    parts.store.onElsewhere(data.exercise, readSaved, (saved) => saved && this.#adopt(saved));

    this.#done.hidden = !this.#saved.passed;
    this.#editor.scrollTo(functionLine(this.#known[data.file] ?? "", data.function));
    this.#showStart();
    this.#noteStarter();
    this.#noteAside();
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

  /** Keeps the text that another tab saved meanwhile, unless it equals the text in the editor or the text before it. */
  #setAside(theirs: Files, mine: Files): void {
    if (sameFiles(theirs, mine) || sameFiles(theirs, this.#known)) return;
    this.#saved.aside = theirs;
    this.#noteAside();
  }

  #save(): void {
    // Another tab, or a file that was imported, may have got further meanwhile.
    const stored = this.#store.load(this.#data.exercise, readSaved);
    const mine = this.#restored(this.#saved);
    if (stored) {
      reach(this.#saved, stored);
      this.#setAside(this.#restored(stored), mine);
    }
    this.#known = mine;
    this.#done.hidden = !this.#saved.passed;
    if (!this.#store.save(this.#data.exercise, this.#saved)) this.#noteStorage();
  }

  /** Called when another tab saved. Takes over its text, unless this tab has an edit of its own or the reader is typing. */
  #adopt(saved: Saved): void {
    const theirs = this.#restored(saved);
    const mine = this.#editor.files();
    if (!sameFiles(theirs, mine) && (this.#editor.hasFocus() || !sameFiles(mine, this.#known))) {
      reach(this.#saved, saved);
      this.#done.hidden = !this.#saved.passed;
      if (sameFiles(theirs, this.#known)) return;
      // Nothing is saved here: that would be an edit to set aside for the other tab, and so on.
      this.#setAside(theirs, mine);
      this.#known = theirs;
      return;
    }
    this.#saved = saved;
    this.#known = theirs;
    this.#noteAside();
    this.#done.hidden = !saved.passed;
    this.#hints.show(saved.hints);
    this.#editor.adopt(theirs);
    this.#root.classList.toggle("is-stale", this.#checked !== null && !sameFiles(this.#checked, this.#editor.files()));
  }

  /** Shows a file. The read-only files are fetched when the reader first opens one of them. */
  async #open(file: string, line = 0, col = 0): Promise<void> {
    if (this.#data.tests.files.includes(file)) {
      this.#tests ??= fetchJSON(this.#data.tests.href).then((json) => {
        for (const [name, text] of Object.entries(readSolution(json)?.files ?? {})) this.#editor.addReadOnly(name, text);
      });
      try {
        await this.#tests;
      } catch {
        this.#tests = null;
        this.#tell(refusedNotice("It is a file of the book. Without a network it is available only if the browser keeps the workbook's pages.", `${file} could not be fetched`));
        return;
      }
    }
    if (line > 0) this.#editor.goTo(file, line, col);
    else this.#editor.show(file);
    this.#tabs.selected(file);
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
        this.#tell(unreachableNotice(what, outcome.url));
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
    if (v.pass) this.#saved.passed = true;
    this.#draw(v, files, progress);
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
    const kept = keptVerdict(hashFiles(files), v);
    if (kept) this.#store.save(verdictName(this.#data.exercise), kept);
    else this.#store.remove(verdictName(this.#data.exercise));
    const gains = v.pass ? v.benchmarks.map((b) => savedWords(b, this.#data.starter)) : [];
    this.#say([headline(v), ...gains, progress].filter(Boolean).join(". "));
  }

  /** Puts a verdict on files beside the code, and its marks at their lines. */
  #draw(v: Verdict, files: Files, progress: string | null, before = false): void {
    this.#checked = files;
    this.#editor.mark(marksOf(v, Object.keys(files)));
    this.#verdict.show(
      verdictView(v, {
        starter: this.#data.starter,
        teaches: this.#data.teaches,
        ...(this.#data.all.length === 0 ? {} : { next: nextUnsolved(this.#data.all, this.#data.exercise, (id) => this.#store.load(id, readSaved)?.passed ?? false) }),
        progress,
        before,
        source: {
          has: (file) => file in files || this.#data.tests.files.includes(file),
          goTo: (file, line, col) => void this.#open(file, line, col),
          emphasize: (file, lines) => this.#editor.emphasize(file, lines),
        },
      }),
    );
    this.#root.classList.toggle("is-stale", !sameFiles(files, this.#editor.files()));
    if (v.pass) void this.#solution.show();
  }

  /** Shows the verdict of the last check before this visit if the code has not changed since, and otherwise what to do next. */
  #showStart(): void {
    const kept = this.#store.load(verdictName(this.#data.exercise), readKeptVerdict);
    if (kept && kept.files === hashFiles(this.#known)) {
      this.#editor.beginCheck();
      this.#draw(kept.verdict, this.#known, null, true);
      return;
    }
    const { last } = this.#saved;
    this.#verdict.show(
      startView(
        last ? `Before this visit: ${last.headline}` : "Not checked yet",
        last ? "The text has changed since. Check again to see the lines." : "Check runs the tests and counts what every line allocates.",
      ),
    );
  }

  async #format(): Promise<void> {
    if (this.#underWay) return;
    const shown = this.#editor.current();
    const file = shown in this.#data.files ? shown : this.#data.file;
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

  /** Says that there are two different edits of the exercise, and lets the reader choose. */
  #noteAside(): void {
    this.#notes.querySelector(".is-aside")?.remove();
    const { aside } = this.#saved;
    if (!aside || sameFiles(aside, this.#editor.files())) return;
    const words = "Another tab saved a different edit of this exercise. Both are kept; this tab shows its own.";
    const swap = button("ots-button", () => {
      const mine = this.#editor.files();
      this.#editor.replace(this.#restored({ ...this.#saved, files: aside }));
      this.#saved.aside = mine;
      this.#flush();
      this.#noteAside();
    }, "Show the other edit");
    const drop = button("ots-button", () => {
      delete this.#saved.aside;
      this.#noteAside();
      this.#save();
      this.#editor.focus();
    }, "Forget the other edit");
    this.#notes.append(el("div", { class: "ots-note is-aside" }, el("p", {}, words), el("p", {}, swap, " ", drop)));
    this.#say(words);
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
