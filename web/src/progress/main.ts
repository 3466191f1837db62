// The bundle of the reader's progress, loaded on a page that lists the exercises.

import { provideBundle } from "../bundles.ts";
import { upgradeProgress } from "./progress.ts";

export interface ProgressBundle {
  upgradeProgress: typeof upgradeProgress;
}

provideBundle("progress", { upgradeProgress });
