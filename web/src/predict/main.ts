// The bundle of predictions, loaded on a page that asks for one.

import { provideBundle } from "../bundles.ts";
import { upgradePredict } from "./predict.ts";

export interface PredictBundle {
  upgradePredict: typeof upgradePredict;
}

provideBundle("predict", { upgradePredict });
