// The programs' bundle, loaded on a page that has a program to run, or the recorded steps of one.

import { provideBundle } from "../bundles.ts";
import { upgradeSteps } from "../step/figure.ts";
import { upgradeProgram } from "./program.ts";

export interface ProgramBundle {
  /** Adds a workbench to a program, or a button to its steps. Reports whether the block's data is readable. */
  upgradeProgram: typeof upgradeProgram;
}

provideBundle("program", {
  upgradeProgram: (block, runner, visit) =>
    block.classList.contains("ots-stepped") ? upgradeSteps(block) : upgradeProgram(block, runner, visit),
});
