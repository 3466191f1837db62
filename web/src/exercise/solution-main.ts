// The solution's bundle, loaded after a pass: until then no page needs it, nor the library that compares two texts.

import { provideBundle } from "../bundles.ts";
import { adoptStyle } from "../dom.ts";
import { solutionView } from "./solution-view.ts";

export interface SolutionBundle {
  solutionView: typeof solutionView;
}

/** Set by the build. */
declare const SOLUTION_STYLE: string;

adoptStyle(SOLUTION_STYLE);
provideBundle("solution", { solutionView });
