// The bundle of the sliders over measured runs, loaded on the page that has them.

import { provideBundle } from "../bundles.ts";
import { upgradeGctrace } from "./gctrace.ts";

export interface GctraceBundle {
  upgradeGctrace: typeof upgradeGctrace;
}

provideBundle("gctrace", { upgradeGctrace });
