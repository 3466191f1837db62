// A listing that is a whole program: <div class="ots-program">. It runs, the compiler reports on it,
// and the reader may change it.

import { blockData, button, el, whenNear } from "../dom.ts";
import { errorNotice, readErrors } from "../errors.ts";
import { hashFiles } from "../files.ts";
import { noticeWords, refusedNotice, unreachableNotice } from "../notice.ts";
import type { CallOptions, Outcome, ProgramRun, Report, RunnerClient } from "../runner-client.ts";
import type { Store } from "../store.ts";
import { reportView } from "../verdict/report.ts";
import { isFields } from "../verdict/schema.ts";
import { Edit, FILE } from "./edit.ts";
import { play } from "./playback.ts";

/** Adds what can be done with the program below its listing. Reports whether it could. */
export function upgradeProgram(block: HTMLElement, runner: RunnerClient, visit: Store): boolean {
  const data = blockData(block);
  if (!isFields(data) || typeof data["body"] !== "string") return false;
  new Program(block, data["body"], runner, visit);
  block.classList.add("ots-upgraded");
  return true;
}

type What = "Run" | "Report" | "Format";

const DOING: Record<What, string> = { Run: "Running…", Report: "Compiling…", Format: "Formatting…" };

class Program {
  readonly #block: HTMLElement;
  readonly #runner: RunnerClient;
  readonly #edit: Edit;
  readonly #buttons: Record<What, HTMLButtonElement>;
  readonly #change = button("ots-button is-quiet", () => void this.#open(), "Edit");
  readonly #reset = button("ots-button is-quiet", () => this.#putBack(), "Reset");
  readonly #undo = button("ots-button is-quiet", () => this.#takeUp(), "Undo");
  readonly #status = el("span", { class: "ots-status" });
  readonly #live = el("p", { class: "ots-unseen", role: "status" });
  readonly #result = el("div", { class: "ots-result" });
  #underWay: { what: What; stop: AbortController } | null = null;
  /** The text that the report on show is about. */
  #reported: string | null = null;

  constructor(block: HTMLElement, body: string, runner: RunnerClient, visit: Store) {
    this.#block = block;
    this.#runner = runner;
    const key = `program/${hashFiles({ [FILE]: body })}`;
    this.#edit = new Edit(block, body, { store: visit, key, onChange: () => this.#edited(), onRun: () => void this.#run() });
    this.#buttons = {
      Run: this.#button("Run", "ots-button is-main", () => void this.#run()),
      Report: this.#button("Report", "ots-button is-quiet", () => void this.#report()),
      Format: this.#button("Format", "ots-button is-quiet", () => void this.#format()),
    };
    this.#buttons.Report.title = "What the compiler says about memory (-m=2)";
    const { Run, Report, Format } = this.#buttons;
    for (const hidden of [Format, this.#reset, this.#undo]) hidden.hidden = true;
    block.append(
      this.#edit.root,
      el("div", { class: "ots-run" }, Run, Report, this.#change, Format, this.#reset, this.#status, this.#undo),
      this.#result,
      this.#live,
    );
    // An edit of this visit is what Run would run, so it is what the page shows.
    if (this.#edit.kept()) whenNear(block, () => void this.#open(false));
  }

  #button(what: What, className: string, start: () => void): HTMLButtonElement {
    return button(className, () => {
      if (this.#underWay?.what === what) this.#underWay.stop.abort();
      else if (!this.#underWay) start();
    }, what);
  }

  async #run(): Promise<void> {
    const text = this.#edit.begin();
    await this.#ask("Run", (options) => this.#runner.compile(text, options), (run, signal) => this.#ran(run, signal));
  }

  async #report(): Promise<void> {
    const text = this.#edit.begin();
    await this.#ask("Report", (options) => this.#runner.escape(text, options), (report) => this.#showReport(report, text));
  }

  async #format(): Promise<void> {
    const text = this.#edit.begin();
    await this.#ask("Format", (options) => this.#runner.format(text, options), ({ body, error }) => {
      if (error !== "") return this.#problems("The program cannot be formatted", error);
      if (this.#edit.text() !== text) return this.#say("Edited meanwhile, not formatted");
      this.#edit.mark([]);
      this.#edit.replace(body);
      this.#say(body === text ? "Already formatted" : "Formatted");
    });
  }

  /** Asks the runner, one thing at a time, and shows its answer or why there is none. */
  async #ask<T>(
    what: What,
    call: (options: CallOptions) => Promise<Outcome<T>>,
    show: (value: T, signal: AbortSignal) => void | Promise<void>,
  ): Promise<void> {
    if (this.#underWay) return;
    const stop = new AbortController();
    this.#underWay = { what, stop };
    this.#buttons[what].textContent = "Stop";
    const others = [...Object.values(this.#buttons), this.#reset].filter((b) => b !== this.#buttons[what]);
    for (const b of others) b.setAttribute("aria-disabled", "true");
    this.#undo.hidden = true;
    this.#say(DOING[what]);
    try {
      const outcome = await call({
        signal: stop.signal,
        onBusy: (s) => this.#say(`The runner is busy, trying again in ${s} s`),
      });
      switch (outcome.kind) {
        case "ok":
          await show(outcome.value, stop.signal);
          break;
        case "unreachable":
          this.#tell(unreachableNotice(what, outcome.place));
          break;
        case "refused":
          this.#tell(refusedNotice(outcome.message));
          break;
        case "canceled":
          this.#say("Stopped");
      }
    } finally {
      this.#underWay = null;
      this.#buttons[what].textContent = what;
      for (const b of others) b.removeAttribute("aria-disabled");
    }
  }

  async #ran(run: ProgramRun, signal: AbortSignal): Promise<void> {
    const problem = run.errors.trimEnd();
    if (problem !== "" && run.events.length === 0) {
      // The same field says that a program ran out of time.
      if (/\.go:\d+/.test(problem)) return this.#problems("Does not compile", problem);
      this.#say("Did not run to its end", true);
      this.#show(pre("is-stderr", "Errors", problem));
      return;
    }
    this.#edit.mark([]);
    const output = pre("", "Output");
    this.#show(output);
    if (!(await play(run, output, signal))) return this.#say("Stopped");
    // What it printed until a limit ended it stands above.
    if (problem !== "") return this.#say(`Did not run to its end: ${problem}`, true);
    if (output.textContent === "") output.append(el("span", { class: "ots-none" }, "(no output)"));
    const end = run.status === 0 ? "Exited" : `Exited with status ${run.status}`;
    this.#say(`${end}, ran in the sandbox`, run.status !== 0);
    if (run.vetErrors !== "") {
      this.#result.append(
        el("p", { class: "ots-note" }, "go vet says:"),
        pre("", "go vet", run.vetErrors.trimEnd()),
      );
    }
  }

  #showReport({ escapes, errors }: Report, text: string): void {
    if (errors !== "") return this.#problems("Does not compile", errors);
    this.#edit.mark([]);
    this.#show(el("div", { class: "ots-report-pane" }, reportView(escapes, text, this.#edit.source())));
    this.#reported = text;
    // Messages, not allocations: a constant "escapes" and is ready in read-only data.
    const heap = escapes.filter((e) => e.kind === "escape" || e.kind === "moved").length;
    this.#say(heap === 0 ? 'No message says "to heap"' : heap === 1 ? '1 message says "to heap"' : `${heap} messages say "to heap"`);
  }

  /** Build errors stand in a list and, where the program is being edited, at their lines. */
  #problems(headline: string, text: string): void {
    const errors = readErrors(text);
    this.#edit.mark(errors);
    this.#tell(errorNotice(headline, errors, this.#edit.goTo()));
  }

  #show(result: HTMLElement): void {
    this.#result.replaceChildren(result);
    this.#reported = null;
    this.#block.classList.remove("is-stale");
  }

  #tell(notice: HTMLElement): void {
    this.#show(notice);
    this.#say("");
    this.#live.textContent = noticeWords(notice);
  }

  #say(words: string, problem = false): void {
    this.#live.textContent = words;
    this.#status.textContent = words;
    this.#status.classList.toggle("is-problem", problem);
  }

  async #open(focus = true): Promise<void> {
    this.#undo.hidden = true;
    this.#say("");
    if (!(await this.#edit.open(focus))) {
      this.#say("The editor could not be loaded: try again", true);
      return;
    }
    this.#editing(true);
  }

  #editing(on: boolean): void {
    this.#change.hidden = on;
    this.#buttons.Format.hidden = !on;
    this.#reset.hidden = !on;
  }

  #edited(): void {
    this.#block.classList.toggle("is-stale", this.#reported !== null && this.#edit.text() !== this.#reported);
    if (!this.#underWay) this.#say("");
  }

  /** Shows the page's own program again. */
  #putBack(): void {
    if (this.#underWay) return;
    const changed = this.#edit.close();
    this.#editing(false);
    this.#result.replaceChildren();
    this.#undo.hidden = !changed;
    this.#say(changed ? "Your edit is put away." : "");
    (changed ? this.#undo : this.#change).focus();
  }

  #takeUp(): void {
    this.#undo.hidden = true;
    this.#say("");
    this.#edit.reopen();
    this.#editing(true);
  }
}

/** A box of output that the keyboard can scroll. */
function pre(kind: string, label: string, text = ""): HTMLElement {
  return el("pre", { class: `ots-output ${kind}`, role: "region", tabindex: 0, "aria-label": label }, text);
}
