// The engine's bundle, loaded when a page is to check or run code itself. The compiler and linker, some megabytes, are
// fetched by parts.ts.

import { provideBundle } from "../bundles.ts";
import { keepSite, type Keeping } from "../offline/keep.ts";
import { Engine } from "./engine.ts";
import { findEngine } from "./find.ts";
import { fetchManifest } from "./parts.ts";

export interface EngineBundle {
  Engine: typeof Engine;
  fetchManifest: typeof fetchManifest;
  findEngine: typeof findEngine;
  keepSite: () => Promise<Keeping>;
}

provideBundle("engine", { Engine, fetchManifest, findEngine, keepSite });
