// Loads the scripts that only some pages need. Each is loaded once.

import type { ChoicesBundle } from "./choices/main.ts";
import type { EditorBundle } from "./code-editor.ts";
import type { EngineBundle } from "./engine/main.ts";
import type { AttemptBundle } from "./exercise/attempt-main.ts";
import type { ExerciseBundle } from "./exercise/main.ts";
import type { SolutionBundle } from "./exercise/solution-main.ts";
import type { GctraceBundle } from "./gctrace/main.ts";
import type { PredictBundle } from "./predict/main.ts";
import type { ProgramBundle } from "./program/main.ts";
import type { ProgressBundle } from "./progress/main.ts";
import type { ParticipantBundle } from "./room/exercise-main.ts";
import type { StepBundle } from "./step/main.ts";
import { bookRoot } from "./site-root.ts";

/** The exports of each script, by its name in the book's folder widgets. */
interface Bundles {
  attempt: AttemptBundle;
  choices: ChoicesBundle;
  editor: EditorBundle;
  engine: EngineBundle;
  exercise: ExerciseBundle;
  gctrace: GctraceBundle;
  participant: ParticipantBundle;
  predict: PredictBundle;
  program: ProgramBundle;
  progress: ProgressBundle;
  solution: SolutionBundle;
  step: StepBundle;
}

declare global {
  var onthestackBundles: Partial<Bundles> | undefined;
}

/** Set by the build: a hash of the content of each script. */
declare const BUNDLE_VERSIONS: Record<keyof Bundles, string>;

const loading: { [Name in keyof Bundles]?: Promise<Bundles[Name]> } = {};

/** Resolves to what a script provides, or rejects if it cannot be loaded. */
export function loadBundle<Name extends keyof Bundles>(name: Name): Promise<Bundles[Name]> {
  const begun: Promise<Bundles[Name]> | undefined = loading[name];
  if (begun) return begun;
  const promise = new Promise<Bundles[Name]>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${bookRoot()}widgets/${name}.js?v=${BUNDLE_VERSIONS[name]}`;
    script.onload = () => {
      const bundle = globalThis.onthestackBundles?.[name];
      if (bundle) resolve(bundle);
      else reject(new Error("A script of this page does not start. Reload the page."));
    };
    script.onerror = () =>
      reject(new Error("The connection broke off. Press the button again."));
    document.head.append(script);
  });
  loading[name] = promise as (typeof loading)[Name];
  // The failure may be temporary, so the next call tries again.
  promise.catch(() => delete loading[name]);
  return promise;
}

/** Called by a script when it is loaded, with what it provides. */
export function provideBundle<Name extends keyof Bundles>(name: Name, bundle: Bundles[Name]): void {
  globalThis.onthestackBundles = { ...globalThis.onthestackBundles, [name]: bundle };
}
