// The programs' bundle, loaded on a page that has a program to run.

import { provideBundle } from "../bundles.ts";
import { upgradeProgram } from "./program.ts";

export interface ProgramBundle {
  upgradeProgram: typeof upgradeProgram;
}

provideBundle("program", { upgradeProgram });
