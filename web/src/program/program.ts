// A listing that is a whole program: <div class="ots-program">.

import { blockData, button, el, reducedMotion } from "../dom.ts";
import { refusedNotice, unreachableNotice } from "../notice.ts";
import { wait, type ProgramRun, type RunnerClient } from "../runner-client.ts";
import { isFields } from "../verdict/schema.ts";
import { append, schedule, type Segment } from "./playback.ts";

/** Adds Run below the listing. Reports whether it could. */
export function upgradeProgram(block: HTMLElement, runner: RunnerClient): boolean {
  const data = blockData(block);
  if (!isFields(data) || typeof data["body"] !== "string") return false;
  new Program(block, data["body"], runner);
  block.classList.add("ots-upgraded");
  return true;
}

class Program {
  readonly #body: string;
  readonly #runner: RunnerClient;
  readonly #run: HTMLButtonElement;
  readonly #status = el("span", { class: "ots-status", role: "status" });
  readonly #result = el("div", { class: "ots-result" });
  #running: AbortController | null = null;

  constructor(block: HTMLElement, body: string, runner: RunnerClient) {
    this.#body = body;
    this.#runner = runner;
    this.#run = button("ots-button is-main", () => (this.#running ? this.#running.abort() : void this.#start()), "Run");
    block.append(el("div", { class: "ots-run" }, this.#run, this.#status), this.#result);
  }

  async #start(): Promise<void> {
    const running = (this.#running = new AbortController());
    this.#run.textContent = "Stop";
    this.#status.classList.remove("is-problem");
    this.#status.textContent = "Running…";
    try {
      const outcome = await this.#runner.compile(this.#body, {
        signal: running.signal,
        onBusy: (s) => (this.#status.textContent = `The runner is busy, trying again in ${s} s`),
      });
      switch (outcome.kind) {
        case "ok":
          await this.#show(outcome.value, running.signal);
          break;
        case "unreachable":
          this.#status.textContent = "";
          this.#result.replaceChildren(unreachableNotice("Run", outcome.place));
          break;
        case "refused":
          this.#status.textContent = "";
          this.#result.replaceChildren(refusedNotice(outcome.message));
          break;
        case "canceled":
          this.#status.textContent = "Stopped";
      }
    } finally {
      this.#running = null;
      this.#run.textContent = "Run";
    }
  }

  async #show(run: ProgramRun, signal: AbortSignal): Promise<void> {
    const problem = run.errors.trimEnd();
    if (problem !== "" && run.events.length === 0) {
      // The same field says that a program ran out of time.
      this.#status.textContent = /\.go:\d+/.test(problem) ? "Does not compile" : "Did not run to its end";
      this.#status.classList.add("is-problem");
      this.#result.replaceChildren(pre("is-stderr", "Errors", problem));
      return;
    }
    const output = pre("", "Output");
    this.#result.replaceChildren(output);
    if (!(await play(run, output, signal))) {
      this.#status.textContent = "Stopped";
      return;
    }
    if (problem !== "") {
      // What it printed until a limit ended it stands above.
      this.#status.textContent = `Did not run to its end: ${problem}`;
      this.#status.classList.add("is-problem");
      return;
    }
    if (output.textContent === "") output.append(el("span", { class: "ots-none" }, "(no output)"));
    const end = run.status === 0 ? "Exited" : `Exited with status ${run.status}`;
    this.#status.textContent = `${end}, ran in the sandbox`;
    this.#status.classList.toggle("is-problem", run.status !== 0);
    if (run.vetErrors !== "") {
      this.#result.append(
        el("p", { class: "ots-note" }, "go vet says:"),
        pre("", "go vet", run.vetErrors.trimEnd()),
      );
    }
  }
}

/** A box of output that the keyboard can scroll. */
function pre(kind: string, label: string, text = ""): HTMLElement {
  return el("pre", { class: `ots-output ${kind}`, role: "region", tabindex: 0, "aria-label": label }, text);
}

/** Shows the events in their rhythm, or at once for a reader who wants no motion. Reports whether it got to the end. */
async function play(run: ProgramRun, output: HTMLElement, signal: AbortSignal): Promise<boolean> {
  const delays = reducedMotion() ? [] : schedule(run.events);
  let shown: Segment[] = [];
  try {
    for (const [i, event] of run.events.entries()) {
      const delay = delays[i] ?? 0;
      if (delay > 0) await wait(delay, signal);
      shown = append(shown, event);
      if (delay > 0 || i === run.events.length - 1 || (delays[i + 1] ?? 0) > 0) draw(shown, output);
    }
  } catch (e) {
    if (signal.aborted) return false;
    throw e;
  }
  return true;
}

function draw(shown: readonly Segment[], output: HTMLElement): void {
  output.replaceChildren(
    ...shown.map((s) =>
      s.kind === "stdout" ? document.createTextNode(s.text) : el("span", { class: "ots-stderr", title: "standard error" }, s.text),
    ),
  );
}
