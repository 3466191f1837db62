// A listing that is a whole program: <div class="ots-program">. The reader can run, share and edit it, and get the
// compiler's report on it.

import { PROG } from "../archive.ts";
import { blockData, button, el, whenNear } from "../dom.ts";
import { hashFiles } from "../files.ts";
import { ProgramData } from "../go/book.ts";
import { read } from "../json.ts";
import type { Runner } from "../runner.ts";
import type { Store } from "../store.ts";
import { Edit } from "./edit.ts";
import { whereSwitch } from "../where-switch.ts";
import { Workbench } from "./workbench.ts";

/** Adds a workbench below a program's listing. Reports whether the block's data is readable. */
export function upgradeProgram(block: HTMLElement, runner: Runner, visit: Store): boolean {
  const data = read(ProgramData, blockData(block), "body");
  if (!data) return false;
  new Program(block, data.body, runner, visit);
  block.classList.add("ots-upgraded");
  return true;
}

class Program {
  readonly #edit: Edit;
  readonly #bench: Workbench;
  readonly #change = button("ots-button is-quiet", () => void this.#open(), "Edit");
  readonly #reset = button("ots-button is-quiet", () => this.#putBack(), "Reset");
  readonly #undo = button("ots-button is-quiet", () => this.#takeUp(), "Undo");

  constructor(block: HTMLElement, body: string, runner: Runner, visit: Store) {
    const key = `program/${hashFiles({ [PROG]: body })}`;
    this.#edit = new Edit(block, body, {
      store: visit,
      key,
      onChange: () => this.#edited(),
      onRun: () => void this.#bench.start("Run"),
    });
    this.#bench = new Workbench({
      block,
      runner,
      text: this.#edit,
      others: [this.#reset],
      onStart: () => (this.#undo.hidden = true),
    });
    const { buttons, status, link, result, live } = this.#bench;
    for (const hidden of [buttons.Format, this.#reset, this.#undo]) hidden.hidden = true;
    // A listing that only has benchmarks has no first statement to show.
    buttons.Step.hidden = !/^func main\(/m.test(body);
    block.append(
      this.#edit.root,
      el(
        "div",
        { class: "ots-run" },
        ...[buttons.Run, buttons.Step, buttons.Share, buttons.Report, this.#change, buttons.Format, this.#reset],
        whereSwitch(runner.choice, "Programs run"),
        status,
        this.#undo,
      ),
      link.root,
      result,
      live,
    );
    this.#bench.listen(block);
    // Run would run an edit of this visit, so the page shows it.
    if (this.#edit.stored()) whenNear(block, () => void this.#open(false));
    whenNear(block, () => runner.choice?.prepare(() => ({ kind: "compile", body: this.#edit.text() })));
  }

  async #open(focus = true): Promise<void> {
    this.#undo.hidden = true;
    this.#bench.say("");
    if (!(await this.#edit.open(focus))) {
      this.#bench.say("The editor could not be loaded: try again", true);
      return;
    }
    this.#editing(true);
  }

  #editing(on: boolean): void {
    this.#change.hidden = on;
    this.#bench.buttons.Format.hidden = !on;
    this.#reset.hidden = !on;
    this.#bench.edited();
  }

  #edited(): void {
    this.#bench.edited();
    if (!this.#bench.busy) this.#bench.say("");
  }

  /** Shows the page's own program again. */
  #putBack(): void {
    if (this.#bench.busy) return;
    const changed = this.#edit.close();
    this.#editing(false);
    this.#bench.clear();
    this.#undo.hidden = !changed;
    this.#bench.say(changed ? "Your edit was removed. Undo brings it back." : "");
    (changed ? this.#undo : this.#change).focus();
  }

  #takeUp(): void {
    this.#undo.hidden = true;
    this.#bench.say("");
    this.#edit.reopen();
    this.#editing(true);
  }
}
