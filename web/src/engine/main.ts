// The engine's bundle, loaded when a page is to answer by itself.

import { keepSite } from "../offline/keep.ts";
import { Engine } from "./engine.ts";
import { findEngine } from "./find.ts";
import { fetchManifest } from "./parts.ts";

globalThis.onthestackEngine = { Engine, fetchManifest, findEngine, keepSite };
