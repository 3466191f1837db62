// The bundle for what is rarely done with an exercise's code: sharing it, downloading it, and showing a likely mistake
// or a shared attempt in its place.

import { provideBundle } from "../bundles.ts";
import { beginAttempt, shareAttempt } from "./attempt.ts";
import { beginMistake } from "./try.ts";
import { downloadWork } from "./workspace-zip.ts";

export interface AttemptBundle {
  beginAttempt: typeof beginAttempt;
  beginMistake: typeof beginMistake;
  downloadWork: typeof downloadWork;
  shareAttempt: typeof shareAttempt;
}

provideBundle("attempt", { beginAttempt, beginMistake, downloadWork, shareAttempt });
