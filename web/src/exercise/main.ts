// The exercises' bundle, loaded with the editor on a page that has an exercise.

import { provideBundle } from "../bundles.ts";
import { upgradeExercise } from "./upgrade.ts";

export interface ExerciseBundle {
  upgradeExercise: typeof upgradeExercise;
}

provideBundle("exercise", { upgradeExercise });
