// The bundle of multiple-choice questions, loaded on a page that has one.

import { provideBundle } from "../bundles.ts";
import { upgradeChoices } from "./choices.ts";

export interface ChoicesBundle {
  upgradeChoices: typeof upgradeChoices;
}

provideBundle("choices", { upgradeChoices });
