// Fetches the engine's bundle, once for all that ask on a page. What it is made of, some megabytes, is another matter: see parts.ts.

import type { Keeping } from "../offline/keep.ts";
import { bookRoot } from "../site-root.ts";
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

let loading: Promise<EngineBundle> | null = null;

/** Resolves to what is in the bundle, or rejects when its script cannot be had. */
export function loadEngine(): Promise<EngineBundle> {
  loading ??= new Promise<EngineBundle>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${bookRoot()}widgets/engine.js?v=${ENGINE_VERSION}`;
    script.onload = () => {
      if (globalThis.onthestackEngine) resolve(globalThis.onthestackEngine);
      else reject(new Error("The compiler in this page does not start. Reload the page."));
    };
    script.onerror = () => reject(new Error("The connection broke off. Press the button again when the network is back."));
    document.head.append(script);
  });
  // A failure may pass: the next one who asks tries again.
  loading.catch(() => (loading = null));
  return loading;
}
