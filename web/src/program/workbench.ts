// What can be done with a program: run it, share it, have the compiler report on it, format it. The buttons, and
// what came of it. Where they stand on the page, and where the text comes from, is for others to say.

import type { ProgramRun, Report } from "../go/runner.ts";
import type { CheckNews, Shared } from "../responses.ts";
import { Archive, PROG } from "../archive.ts";
import { button, el } from "../dom.ts";
import { findingsNotice, readFindings } from "../errors.ts";
import { Fetching, keptWords } from "../fetching.ts";
import { noticeWords, offerNotice, refusedNotice, unreachableNotice } from "../notice.ts";
import type { CallOptions, Outcome, Runner } from "../runner.ts";
import { reportView } from "../verdict/report.ts";
import { ending } from "./ending.ts";
import { play } from "./playback.ts";
import type { ProgramText } from "./program-editor.ts";
import { ShareLink } from "./share-link.ts";

const DOING = { Run: "Running…", Share: "Sharing…", Report: "Compiling…", Format: "Formatting…" };

export type What = keyof typeof DOING;

/** A button says Stop after this long: most answers come sooner, and a double click is meant once. */
const STOP_AFTER_MS = 200;

export interface WorkbenchParts {
  /** What gets the class is-stale while the text is not the one that is spoken of. */
  block: HTMLElement;
  runner: Runner;
  text: ProgramText;
  /** More buttons that do nothing while something is under way. */
  others: readonly HTMLButtonElement[];
  onStart?: () => void;
  onShared?: (shared: Shared, text: string) => void;
}

interface UnderWay {
  what: What;
  stop: AbortController;
  /** The button says so. */
  stoppable: boolean;
}

export class Workbench {
  readonly buttons: Record<What, HTMLButtonElement>;
  readonly status = el("span", { class: "ots-status" });
  readonly link = new ShareLink((words) => (this.live.textContent = words));
  readonly result = el("div", { class: "ots-result" });
  readonly live = el("p", { class: "ots-unseen", role: "status" });
  readonly #parts: WorkbenchParts;
  #underWay: UnderWay | null = null;
  /** The text that the result on show speaks of by its lines. */
  #about: string | null = null;

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
    this.buttons = {
      Run: this.#button("Run", "ots-button is-main"),
      Share: this.#button("Share", "ots-button is-quiet"),
      Report: this.#button("Report", "ots-button is-quiet"),
      Format: this.#button("Format", "ots-button is-quiet"),
    };
    this.buttons.Share.title = "Get a link to the program";
    this.buttons.Report.title = "What the compiler says about memory (-m=2)";
  }

  #button(what: What, className: string): HTMLButtonElement {
    return button(className, () => {
      if (!this.#underWay) void this.start(what);
      else if (this.#underWay.what === what && this.#underWay.stoppable) this.stop();
    }, what);
  }

  get busy(): boolean {
    return this.#underWay !== null;
  }

  /** Keys of the program's own: Ctrl-Enter or Cmd-Enter runs, Escape stops. In the editor they stay keys of the editor's, too. */
  listen(to: HTMLElement | Document): void {
    to.addEventListener("keydown", (event) => {
      const e = event as KeyboardEvent;
      if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !e.defaultPrevented) {
        e.preventDefault();
        void this.start("Run");
      }
      if (e.key === "Escape" && this.#underWay) this.stop();
      // mdBook turns pages on arrow keys and opens its search on a slash, typed text included.
      if (e.target instanceof Element && e.target.closest(".ots-edit, input")) e.stopPropagation();
    });
  }

  stop(): void {
    this.#underWay?.stop.abort();
  }

  async start(what: What): Promise<void> {
    if (this.#underWay) return;
    const { runner, text: program } = this.#parts;
    const text = program.begin();
    switch (what) {
      case "Run":
        return this.#ask(what, (options) => runner.compile(text, options), (run, signal) => this.#ran(run, text, signal));
      case "Share":
        return this.#ask(what, (options) => runner.share(text, options), (shared) => this.#shared(shared, text));
      case "Report":
        return this.#ask(what, (options) => runner.escape(text, options), (report) => this.#reported(report, text));
      case "Format":
        return this.#ask(what, (options) => runner.format(text, options), ({ body, error }) => this.#formatted(body, error, text));
    }
  }

  /** Asks the runner, one thing at a time, and shows its answer or why there is none. */
  async #ask<T>(
    what: What,
    call: (options: CallOptions) => Promise<Outcome<T>>,
    show: (value: T, signal: AbortSignal) => void | Promise<void>,
  ): Promise<void> {
    const underWay: UnderWay = { what, stop: new AbortController(), stoppable: false };
    this.#underWay = underWay;
    const stoppable = setTimeout(() => {
      underWay.stoppable = true;
      this.#showBusy(what, true);
    }, STOP_AFTER_MS);
    this.#parts.onStart?.();
    this.say(DOING[what]);
    // The result that is shown belongs to an earlier press until there is a new one.
    if (what !== "Share") this.result.classList.add("is-past");
    const { signal } = underWay.stop;
    try {
      const outcome = await call({
        signal,
        onBusy: (s) => this.say(`The runner is busy, trying again in ${s} s`),
        onNews: this.#newsOf(underWay),
      });
      switch (outcome.kind) {
        case "ok":
          await show(outcome.value, signal);
          break;
        case "unreachable":
          this.#tell(unreachableNotice(what, outcome.url));
          break;
        case "offer":
          this.#tell(offerNotice(what, outcome.offer, () => {
            void this.start(what);
            this.buttons[what].focus();
          }));
          break;
        case "refused":
          this.#tell(refusedNotice(outcome.message, what === "Share" ? "Not shared" : outcome.headline));
          break;
        case "canceled":
          this.say("Stopped");
      }
    } finally {
      clearTimeout(stoppable);
      this.result.classList.remove("is-past");
      this.#underWay = null;
      this.#showBusy(what, false);
    }
  }

  /** Tells what is heard of what is under way, and nothing of it when that is over but what was kept. */
  #newsOf(underWay: UnderWay): (news: CheckNews) => void {
    const fetching = new Fetching();
    const show = (words: string) => (this.status.textContent = words);
    return (news) => {
      if (news.kind === "kept") return void (this.#underWay || this.say(keptWords(news)));
      if (this.#underWay !== underWay) return;
      if (news.kind === "fetching") fetching.tell(news, show, (words) => (this.live.textContent = words));
      else if (news.kind === "queued" && news.position > 0) show(`Waiting, number ${news.position}`);
      else if (news.kind === "begun") show(DOING[underWay.what]);
    };
  }

  #showBusy(what: What, busy: boolean): void {
    this.buttons[what].textContent = busy ? "Stop" : what;
    for (const b of [...Object.values(this.buttons), ...this.#parts.others]) {
      if (busy && b !== this.buttons[what]) b.setAttribute("aria-disabled", "true");
      else b.removeAttribute("aria-disabled");
    }
  }

  async #ran(run: ProgramRun, text: string, signal: AbortSignal): Promise<void> {
    const problem = run.errors.trimEnd();
    if (problem !== "" && run.events.length === 0) {
      // The same field says that a program was too large, or ran out of time.
      if (/\.go:\d+/.test(problem)) return this.#problems("Does not compile", problem, text);
      this.say("Did not run to its end", true);
      this.#show(pre("Errors", problem));
      return;
    }
    this.#parts.text.mark([]);
    const output = pre("Output");
    const end = ending(run);
    const words = el("span", {}, "\u00a0");
    const key = run.events.some((e) => e.kind === "stderr") && el("span", { class: "ots-stderr" }, "standard error");
    this.#show(output);
    this.result.append(el("p", { class: "ots-ending" }, words, key));
    const played = await play(run, output, signal);
    words.textContent = played ? end.words : "Stopped";
    words.classList.toggle("is-problem", played && end.problem);
    if (played && output.textContent === "") output.append(el("span", { class: "ots-none" }, "(no output)"));
    this.say("");
    this.live.textContent = words.textContent;
    if (!played) return;
    if (run.vetErrors.trim() !== "") this.#vetted(run.vetErrors, text);
  }

  #vetted(vetErrors: string, text: string): void {
    const findings = readFindings(vetErrors);
    const found = findings.filter((f) => f.line > 0).length;
    const headline = found === 0 ? "go vet says" : `go vet found ${found === 1 ? "a problem" : `${found} problems`}`;
    this.#parts.text.mark(findings, "warning");
    const notice = this.#notice("vet", headline, vetErrors);
    this.result.append(notice);
    this.#speaksOf(text);
    this.live.textContent += `. ${noticeWords(notice)}`;
  }

  #shared(shared: Shared, text: string): void {
    const focus = document.activeElement === this.buttons.Share;
    this.link.show(shared, text, focus);
    this.link.edited(this.#parts.text.text());
    this.say("Shared");
    this.live.textContent = `Shared. The link is ${shared.href}`;
    this.#parts.onShared?.(shared, text);
  }

  #reported({ escapes, errors }: Report, text: string): void {
    if (errors !== "") return this.#problems("Does not compile", errors, text);
    this.#parts.text.mark([]);
    this.#show(el("div", { class: "ots-report-pane" }, reportView(escapes, new Archive(text), this.#parts.text.source())));
    this.#speaksOf(text);
    // Messages, not allocations: a constant "escapes" and is ready in read-only data.
    const heap = escapes.filter((e) => e.kind === "escape" || e.kind === "moved").length;
    this.say(heap === 0 ? 'No message says "to heap"' : heap === 1 ? '1 message says "to heap"' : `${heap} messages say "to heap"`);
  }

  #formatted(body: string, error: string, text: string): void {
    const program = this.#parts.text;
    if (error !== "") return this.#problems("The program cannot be formatted", error, text);
    if (program.text() !== text) return this.say("Edited meanwhile, not formatted");
    program.mark([]);
    program.replace(body);
    this.say(body === text ? "Already formatted" : "Formatted");
  }

  /** Errors stand in a list and, where the program is being edited, at their lines. */
  #problems(headline: string, errors: string, text: string): void {
    this.#parts.text.mark(readFindings(errors));
    this.#tell(this.#notice("error", headline, errors));
    this.#speaksOf(text);
  }

  #notice(kind: "error" | "vet", headline: string, text: string): HTMLElement {
    const source = this.#parts.text.source();
    const goTo = source ? ({ file, line, col }: { file: string; line: number; col: number }) => source.goTo(file, line, col) : null;
    return findingsNotice({ kind, headline, findings: readFindings(text), only: PROG, goTo });
  }

  #show(result: HTMLElement): void {
    this.result.classList.remove("is-past");
    this.result.replaceChildren(result);
    this.#about = null;
    this.#parts.block.classList.remove("is-stale");
  }

  #speaksOf(text: string): void {
    this.#about = text;
    this.edited();
  }

  #tell(notice: HTMLElement): void {
    this.#show(notice);
    this.say("");
    this.live.textContent = noticeWords(notice);
  }

  say(words: string, problem = false): void {
    this.live.textContent = words;
    this.status.textContent = words;
    this.status.classList.toggle("is-problem", problem);
  }

  /** The text may be another now: what was said about its lines is said of an older one. */
  edited(): void {
    const text = this.#parts.text.text();
    this.#parts.block.classList.toggle("is-stale", this.#about !== null && text !== this.#about);
    this.link.edited(text);
  }

  /** Takes away what was said of another program. */
  clear(): void {
    this.result.replaceChildren();
    this.#about = null;
    this.#parts.block.classList.remove("is-stale");
    this.#parts.text.mark([]);
    this.say("");
  }
}

/** A box of output that the keyboard can scroll. */
function pre(label: string, text = ""): HTMLElement {
  return el("pre", { class: "ots-output", role: "region", tabindex: 0, "aria-label": label }, text);
}
