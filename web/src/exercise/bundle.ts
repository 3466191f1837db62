// The exercises' bundle, loaded with the editor on a page that has an exercise. The build leaves out what onthestack.js has already.

import { Exercise } from "./exercise.ts";
import { begin } from "./try.ts";

export interface ExerciseBundle {
  Exercise: typeof Exercise;
  begin: typeof begin;
}

globalThis.onthestackExercise = { Exercise, begin };
