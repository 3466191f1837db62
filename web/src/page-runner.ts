// Chooses where the checks and programs of this page run: on the server, or in the page.

import { FallbackRunner } from "./engine/fallback-runner.ts";
import type { Runner } from "./runner.ts";
import { siteRunner } from "./runner-client.ts";
import { siteRoot } from "./site-root.ts";
import type { Store } from "./store.ts";

/** Returns the runner for this page: the site's, or else the page's own engine. */
export function pageRunner(store: Store): Runner {
  return new FallbackRunner(siteRunner(), store, `${siteRoot()}engine/`);
}
