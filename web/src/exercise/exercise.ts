// One exercise on the page: the editor with the reader's draft, the buttons, and the verdict.

import { editorHelp, type CodeEditor, type CreateEditor, type FileMarks } from "../code-editor.ts";
import { button, el } from "../dom.ts";
import { errorMarks, findingsNotice, readFindings } from "../errors.ts";
import { keptWords } from "../fetching.ts";
import { hashFiles, sameFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import type { Verdict } from "../go/runner.ts";
import { busyWords, failureNotice, Jobs, type JobState, type Progress } from "../job.ts";
import { later } from "../later.ts";
import { noticeWords, refusedNotice } from "../notice.ts";
import type { ShareLink } from "../program/share-link.ts";
import type { PageRoom } from "../room/page-room.ts";
import type { RoomLine } from "../room/room-line.ts";
import type { CallOptions, Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import { startView, verdictView } from "../verdict/view.ts";
import { headline, saved as savedWords, sinceLast } from "../verdict/words.ts";
import { whereSwitch } from "../where-switch.ts";
import { fetchFiles, functionLine, nextUnsolved } from "./data.ts";
import { Draft } from "./draft.ts";
import { FileTabs } from "./file-tabs.ts";
import { Hints } from "./hints.ts";
import type { Layout, LayOut } from "./layout.ts";
import { marksOf, stops } from "../verdict/marks.ts";
import { Notes } from "./notes.ts";
import { passedWords, readSaved, readStoredVerdict, storedVerdict, verdictName } from "./saved.ts";
import { Solution } from "./solution.ts";
import { Toolbar } from "./toolbar.ts";
import type { TypingReport } from "./typing.ts";
import { VerdictPane } from "./verdict-pane.ts";

export interface ExerciseParts {
  createEditor: CreateEditor;
  runner: Runner;
  store: Store;
  layOut: LayOut;
}

const DOING = { Check: "Checking…", Format: "Formatting…" };

type What = keyof typeof DOING;

export class Exercise {
  readonly #root: HTMLElement;
  readonly #data: ExerciseData;
  readonly #runner: Runner;
  readonly #store: Store;
  readonly #roomLine = el("div", {});
  #room: PageRoom | null = null;
  readonly #draft: Draft;
  readonly #editor: CodeEditor;
  readonly #toolbar: Toolbar;
  readonly #hints: Hints;
  readonly #verdict: VerdictPane;
  readonly #tabs: FileTabs;
  readonly #solution: Solution;
  readonly #layout: Layout;
  readonly #jobs = new Jobs<What>((state) => this.#showState(state));
  readonly #notes = new Notes((words) => this.#say(words));
  readonly #problem = el("div", { class: "ots-problem" });
  readonly #shared = el("div", {});
  #link: ShareLink | null = null;
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #done = el("span", { class: "ots-done", hidden: true });
  #tests: Promise<void> | null = null;
  /** The files that the shown verdict is about. */
  #checked: Files | null = null;
  /** Its marks. */
  #measured: Record<string, FileMarks> = {};
  /** The compiler's report while the reader types. It is loaded at the first edit. */
  #typing: Promise<TypingReport | null> | null = null;

  constructor(root: HTMLElement, data: ExerciseData, { createEditor, runner, store, layOut }: ExerciseParts) {
    this.#root = root;
    this.#data = data;
    this.#runner = runner;
    this.#store = store;
    this.#draft = new Draft({
      data,
      store,
      text: () => this.#editor.files(),
      onSaved: (stored) => this.#showSaved(stored),
      onAside: () => this.#noteAside(),
    });
    this.#verdict = new VerdictPane(data.exercise, (words) => this.#say(words));
    const help = `${data.exercise}-help`;
    const code = el("div", { class: "ots-code" });
    this.#editor = createEditor({
      parent: code,
      files: this.#draft.files,
      file: data.file,
      label: (file) => `${file}, ${data.title}`,
      describedBy: help,
      onChange: () => this.#changed(),
      onCheck: () => this.#check(),
    });
    this.#hints = new Hints({
      hints: data.hints,
      shown: this.#draft.saved.hints,
      onMore: (shown, text) => {
        this.#draft.record({ hints: shown });
        this.#room?.hinted(data.exercise, shown);
        this.#layout.show("task", this.#hints.newest);
        this.#say(text);
      },
      solution:
        data.solution === ""
          ? null
          : {
              costs: () => this.#isFair(),
              ask: (question) => this.#layout.show("task", question),
              show: () => this.#spoil(),
            },
    });
    this.#toolbar = new Toolbar({
      check: () => this.#check(),
      cancel: () => this.#jobs.stop(),
      format: () => this.#format(),
      reset: () => this.#reset(),
      undo: () => this.#editor.undo(),
    });
    this.#tabs = new FileTabs(Object.keys(data.files), data.tests.files, data.file, (file) => void this.#open(file));
    this.#solution = new Solution(data.exercise, data.solution, () => this.#editor.files());
    this.#layout = this.#layOut(layOut, code, help);
    this.#listen();
    store.onElsewhere(data.exercise, readSaved, (saved, byTab) => {
      if (!saved) return;
      // A reader who comes back from another editor has the focus here, and expects the text from there.
      const adopted = this.#draft.adopt(saved, byTab && this.#editor.hasFocus());
      this.#showDone();
      if (!adopted) return;
      this.#hints.show(saved.hints);
      this.#editor.adopt(adopted);
      this.#showStale();
    });

    this.#showDone();
    this.#editor.openAt(functionLine(this.#draft.files[data.file] ?? "", data.function));
    this.#showStart();
    if (this.#draft.outdated) this.#notes.showNewStarter();
    this.#noteAside();
    this.#draft.begin();
    const { exercise } = data;
    runner.choice?.prepare(() => ({ kind: "check", exercise, files: this.#editor.files() }));
  }

  /** Shows the room that this browser is in. From then on checks are reported to it. */
  enter(room: PageRoom, line: typeof RoomLine): void {
    this.#room = room;
    const { exercise } = this.#data;
    const files = () => this.#editor.files();
    this.#roomLine.replaceWith(new line({ room, exercise, files, say: (words) => this.#say(words) }).root);
  }

  /** Returns the text in the editor. */
  files(): Files {
    return this.#editor.files();
  }

  #layOut(layOut: LayOut, code: HTMLElement, help: string): Layout {
    const { check, cancel, format, reset, question, words } = this.#toolbar;
    const share = button("ots-button is-quiet", () => void this.#share(), "Share this attempt");
    const download = button("ots-button is-quiet", () => void this.#download(), "Download my work");
    const layout = layOut(this.#root, {
      id: this.#data.exercise,
      files: this.#tabs.root,
      done: this.#done,
      room: this.#roomLine,
      notes: this.#notes.root,
      code,
      help: el("p", { class: "ots-help", id: help }, editorHelp("checks")),
      check,
      cancel,
      format,
      reset,
      question,
      status: words,
      summary: this.#verdict.summary,
      hint: this.#hints.more,
      hints: this.#hints.root,
      keep: el("div", { class: "ots-keep" }, el("div", { class: "ots-tools" }, share, download), this.#shared),
      where: whereSwitch(this.#runner.choice, "Checks run"),
      problem: this.#problem,
      verdict: this.#verdict.root,
      solution: this.#solution.root,
    });
    this.#root.append(this.#live);
    return layout;
  }

  /** Checks on Ctrl-Enter or Cmd-Enter, also outside the editor, which handles its own keys first. */
  #listen(): void {
    const keys = (e: KeyboardEvent) => {
      if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.defaultPrevented) return;
      e.preventDefault();
      this.#check();
    };
    if (this.#layout.wholePage) document.addEventListener("keydown", keys);
    else
      this.#root.addEventListener("keydown", (e) => {
        keys(e);
        // mdBook turns pages on arrow keys and opens its search on a slash, also while the reader types.
        e.stopPropagation();
      });
  }

  #changed(): void {
    this.#showStale();
    this.#reportPause();
    this.#toolbar.edited();
    this.#link?.edited(JSON.stringify(this.#editor.files()));
    this.#draft.changed();
  }

  #showStale(): void {
    this.#root.classList.toggle("is-stale", this.#isStale());
  }

  #isStale(): boolean {
    return this.#checked !== null && !sameFiles(this.#checked, this.#editor.files());
  }

  /**
   * Has the compiler's report follow after a pause. In a room many share the server, and while a check is under way it
   * has to answer that.
   */
  #reportPause(): void {
    const { choice } = this.#runner;
    if (!choice || this.#room) return;
    this.#typing ??= import("./typing.ts").then(
      ({ TypingReport }) => new TypingReport(choice, this.#editor, this.#data),
      () => null,
    );
    const measured = this.#checked && !this.#isStale() ? this.#measured : null;
    void this.#typing.then((typing) => !this.#jobs.active && typing?.edited(measured));
  }

  #showSaved(stored: boolean): void {
    this.#showDone();
    if (!stored) this.#notes.noStorage();
  }

  #showDone(): void {
    this.#done.hidden = !this.#draft.saved.passed;
    this.#done.textContent = passedWords(this.#draft.saved);
  }

  /** Reports whether the exercise can still be passed without having seen the solution. */
  #isFair(): boolean {
    return !this.#draft.saved.passed && !this.#draft.saved.spoiled;
  }

  /** Shows the solution because the reader asked for it. A later pass is marked. */
  #spoil(): void {
    this.#draft.record({ spoiled: true });
    this.#say("The solution is shown");
    void this.#solution.show().then(() => this.#layout.show("verdict", this.#solution.root));
  }

  /** Shows a file. The read-only files are fetched when the reader first opens one of them. */
  async #open(file: string, line = 0, col = 0): Promise<void> {
    if (this.#data.tests.files.includes(file)) {
      this.#tests ??= fetchFiles(this.#data.tests.href).then((data) => {
        for (const [name, text] of Object.entries(data?.files ?? {})) this.#editor.addReadOnly(name, text);
      });
      try {
        await this.#tests;
      } catch {
        this.#tests = null;
        const message =
          "This file belongs to the book. Offline, it is available only if the browser keeps the workbook's pages.";
        this.#tell(refusedNotice(message, `${file} could not be fetched`));
        return;
      }
    }
    this.#layout.show("code");
    if (line > 0) this.#editor.goTo(file, line, col);
    else this.#editor.show(file);
    this.#tabs.selected(file);
  }

  /** Begins a job whose marks are for the current text. */
  #beginCheck(): void {
    void this.#typing?.then((typing) => typing?.checking());
    this.#editor.beginCheck();
  }

  #check(): void {
    if (this.#jobs.active) return;
    const files = this.#editor.files();
    this.#beginCheck();
    this.#layout.show("verdict");
    const { exercise } = this.#data;
    const check = (options: CallOptions) => this.#runner.check(exercise, files, options);
    void this.#jobs.start("Check", check, (v) => this.#show(v, files));
  }

  #showState(state: JobState<What>): void {
    switch (state.name) {
      case "sent":
        if (state.what === "Check") this.#verdict.begin();
        this.#toolbar.busy(state.what, DOING[state.what]);
        this.#say(DOING[state.what]);
        break;
      case "busy":
      case "queued":
      case "fetching":
      case "running":
      case "stage":
        this.#progress(state);
        break;
      case "idle":
        this.#settle();
        break;
      case "streaming":
        this.#settle();
        this.#problem.replaceChildren();
        break;
      case "failed":
        this.#settle();
        this.#tell(failureNotice(state.what, state.failure, () => {
          if (state.what === "Check") this.#check();
          else this.#format();
          this.#toolbar.focus();
        }));
        break;
      case "stopped":
        this.#settle();
        this.#showWords("Canceled");
        break;
      case "stored":
        this.#showWords(keptWords(state.why));
    }
  }

  #progress(state: Progress<What>): void {
    if (state.what === "Check") this.#verdict.progress(state);
    if (state.name === "busy") this.#showWords(busyWords(state.seconds));
    if (state.what === "Check" || state.name !== "fetching") return;
    this.#toolbar.status(state.words);
    if (state.announce) this.#say(state.words);
  }

  /** Ends the view of a job that is under way. */
  #settle(): void {
    this.#toolbar.idle();
    this.#verdict.end();
  }

  #show(v: Verdict, files: Files): void {
    const { last } = this.#draft.saved;
    const measured = v.benchmarks.length > 0;
    const progress = measured && last ? sinceLast(v.benchmarks, last.benchmarks) : null;
    this.#draw(v, files, progress);
    const now = new Date().toISOString();
    const benchmarks = measured
      ? v.benchmarks.map(({ name, allocs_per_op, bytes_per_op }) => ({ name, allocs_per_op, bytes_per_op }))
      : (last?.benchmarks ?? []);
    this.#draft.record({ ...(v.pass ? { passedAt: now } : {}), last: { headline: headline(v), at: now, benchmarks } });
    const stored = storedVerdict(hashFiles(files), v);
    if (stored) this.#store.save(verdictName(this.#data.exercise), stored);
    else this.#store.remove(verdictName(this.#data.exercise));
    this.#room?.checked(this.#data, v, files, this.#draft.saved.hints);
    const gains = v.pass ? v.benchmarks.map((b) => savedWords(b, this.#data.starter)) : [];
    this.#say([headline(v), ...gains, progress].filter(Boolean).join(". "));
  }

  /**
   * Shows a verdict on files beside the code, and its marks at their lines. before: the verdict is of an earlier visit.
   */
  #draw(v: Verdict, files: Files, progress: string | null, before = false): void {
    const { starter, teaches, all, exercise, tests } = this.#data;
    const passed = (id: string) => this.#store.load(id, readSaved)?.passed ?? false;
    this.#checked = files;
    const names = Object.keys(files);
    this.#measured = marksOf(v, names, tests.files);
    this.#editor.mark(this.#measured);
    const shown = { ...v, errors: [...v.errors, ...stops(v, names)] };
    this.#verdict.show(
      verdictView(shown, {
        starter,
        teaches,
        ...(all.length === 0 ? {} : { next: nextUnsolved(all, exercise, passed) }),
        solution: this.#data.solution !== "",
        progress,
        before,
        source: {
          has: (file) => file in files || tests.files.includes(file),
          goTo: (file, line, col) => void this.#open(file, line, col),
          emphasize: (file, lines) => this.#editor.emphasize(file, lines),
        },
      }),
    );
    this.#showStale();
    // Once it is shown, it is compared with the code that was checked last.
    if (v.pass || this.#solution.isShown) void this.#solution.show();
  }

  /**
   * Shows the verdict of the last check before this visit if the code has not changed since, and otherwise what to do
   * next.
   */
  #showStart(): void {
    const { files, saved } = this.#draft;
    const stored = this.#store.load(verdictName(this.#data.exercise), readStoredVerdict);
    if (stored && stored.files === hashFiles(files)) {
      this.#editor.beginCheck();
      this.#draw(stored.verdict, files, null, true);
      return;
    }
    const { last } = saved;
    this.#verdict.show(
      startView(
        last ? `Before this visit: ${last.headline}` : "Not checked yet",
        last
          ? "The text has changed since. Check again to see the lines."
          : "Check runs the tests and counts what every line allocates.",
      ),
    );
  }

  #format(): void {
    if (this.#jobs.active) return;
    const shown = this.#editor.current();
    const file = shown in this.#data.files ? shown : this.#data.file;
    const before = this.#editor.files()[file] ?? "";
    this.#beginCheck();
    void this.#jobs.start("Format", (options) => this.#runner.format(before, options), ({ body, error }) => {
      if (error === "") this.#formatted(file, before, body);
      else this.#notFormatted(file, error);
    });
  }

  #formatted(file: string, before: string, body: string): void {
    if (this.#editor.files()[file] !== before) {
      this.#toolbar.status("You edited it in the meantime, so it was not formatted");
      return;
    }
    if (body !== before) this.#editor.replace({ [file]: body });
    this.#showWords(body === before ? "Already formatted" : "Formatted");
  }

  #notFormatted(file: string, error: string): void {
    // The runner names the file prog.go, whatever its name is.
    const findings = readFindings(error).map((f) => ({ ...f, file }));
    const goTo = ({ line, col }: { line: number; col: number }) => void this.#open(file, line, col);
    this.#editor.mark({ [file]: { lines: errorMarks(findings), errors: findings.filter((f) => f.line > 0) } });
    this.#tell(findingsNotice({ kind: "error", headline: `${file} cannot be formatted`, findings, only: file, goTo }));
  }

  /** Shows a link that opens this code. */
  async #share(): Promise<void> {
    try {
      const { shareAttempt } = await later(import("./attempt.ts"));
      this.#link = await shareAttempt(this.#data.exercise, this.#editor.files(), (words) => this.#say(words));
      this.#shared.replaceChildren(this.#link.root);
      this.#layout.show("task", this.#shared);
      this.#say("The link is below the buttons");
    } catch (e) {
      this.#tell(refusedNotice((e as Error).message, "Not shared"));
    }
  }

  async #download(): Promise<void> {
    try {
      const { downloadWork } = await later(import("./workspace-zip.ts"));
      this.#showWords(await downloadWork(this.#data, this.#editor.files(), this.#store));
    } catch (e) {
      this.#tell(refusedNotice((e as Error).message, "Not downloaded"));
    }
  }

  #reset(): void {
    this.#editor.replace(this.#data.files);
    this.#notes.removeNewStarter();
    this.#draft.reset();
    this.#showWords("The starter is back");
  }

  /** Shows a notice if there are other edits of the exercise, and lets the reader choose. */
  #noteAside(): void {
    const others = this.#draft.asides.length;
    if (others === 0) return this.#notes.removeOtherEdits();
    this.#notes.showOtherEdits(
      others,
      () => {
        this.#editor.replace(this.#draft.swap());
        this.#draft.flush();
        this.#noteAside();
      },
      () => {
        this.#draft.forgetAside();
        this.#noteAside();
        this.#editor.focus();
      },
    );
  }

  #tell(notice: HTMLElement): void {
    this.#problem.replaceChildren(notice);
    this.#layout.show("verdict", notice);
    this.#say(noticeWords(notice));
  }

  /** Shows words beside the buttons and announces them to screen readers. */
  #showWords(words: string): void {
    this.#toolbar.status(words);
    this.#say(words);
  }

  #say(words: string): void {
    this.#live.textContent = words;
  }
}
