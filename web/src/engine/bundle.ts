// Fetches the engine's bundle. The compiler and linker, some megabytes, are fetched by parts.ts.

import type { Keeping } from "../offline/keep.ts";
import { scriptLoader } from "../load-script.ts";
import type { Engine } from "./engine.ts";
import type { findEngine } from "./find.ts";
import type { fetchManifest } from "./parts.ts";

export interface EngineBundle {
  Engine: typeof Engine;
  fetchManifest: typeof fetchManifest;
  findEngine: typeof findEngine;
  keepSite: () => Promise<Keeping>;
}

declare global {
  var onthestackEngine: EngineBundle | undefined;
}

/** Set by the build: a hash of engine.js. */
declare const ENGINE_VERSION: string;

export const loadEngine = scriptLoader(`widgets/engine.js?v=${ENGINE_VERSION}`, () => globalThis.onthestackEngine);
