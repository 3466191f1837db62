// Loads the scripts that only some pages need, each once for all that ask for it.

import type { EditorBundle } from "./code-editor.ts";
import type { EngineBundle } from "./engine/main.ts";
import type { ExerciseBundle } from "./exercise/main.ts";
import type { SolutionBundle } from "./exercise/solution-main.ts";
import type { ProgramBundle } from "./program/main.ts";
import type { ProgressBundle } from "./progress/main.ts";
import { bookRoot } from "./site-root.ts";

/** What each script sets up, by its name in the book's folder widgets. */
interface Bundles {
  editor: EditorBundle;
  engine: EngineBundle;
  exercise: ExerciseBundle;
  program: ProgramBundle;
  progress: ProgressBundle;
  solution: SolutionBundle;
}

declare global {
  var onthestackBundles: Partial<Bundles> | undefined;
}

/** Set by the build: a hash of each script. */
declare const BUNDLE_VERSIONS: Record<keyof Bundles, string>;

const loading: { [Name in keyof Bundles]?: Promise<Bundles[Name]> } = {};

/** Resolves to what a bundle provides, or rejects when its script cannot be had. */
export function loadBundle<Name extends keyof Bundles>(name: Name): Promise<Bundles[Name]> {
  const underWay: Promise<Bundles[Name]> | undefined = loading[name];
  if (underWay) return underWay;
  const promise = new Promise<Bundles[Name]>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${bookRoot()}widgets/${name}.js?v=${BUNDLE_VERSIONS[name]}`;
    script.onload = () => {
      const bundle = globalThis.onthestackBundles?.[name];
      if (bundle) resolve(bundle);
      else reject(new Error("A script of this page does not start. Reload the page."));
    };
    script.onerror = () => reject(new Error("The connection broke off. Press the button again when the network is back."));
    document.head.append(script);
  });
  loading[name] = promise as (typeof loading)[Name];
  // A failure may pass: the next one who asks tries again.
  promise.catch(() => delete loading[name]);
  return promise;
}

/** Called by a bundle's script: hands over what it is loaded for. */
export function provideBundle<Name extends keyof Bundles>(name: Name, bundle: Bundles[Name]): void {
  globalThis.onthestackBundles = { ...globalThis.onthestackBundles, [name]: bundle };
}
