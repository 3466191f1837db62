// The bundle that shows the steps of a program, loaded when a reader presses Step and for a figure of the book that is
// nearly visible.

import { provideBundle } from "../bundles.ts";
import { adoptStyle } from "../dom.ts";
import { Pair } from "./pair.ts";
import { readSides, readSteps, Viewer } from "./viewer.ts";

export interface StepBundle {
  readSides: typeof readSides;
  readSteps: typeof readSteps;
  Pair: typeof Pair;
  Viewer: typeof Viewer;
}

/** Set by the build: the style of the viewer. */
declare const STEPS_STYLE: string;

adoptStyle(STEPS_STYLE);

provideBundle("step", { readSides, readSteps, Pair, Viewer });
