import { EitherRunner } from "./engine/either-runner.ts";
import type { Runner } from "./runner.ts";
import { siteRunner } from "./runner-client.ts";
import { siteRoot } from "./site-root.ts";
import type { Store } from "./store.ts";

/** What answers on the page that this runs in: the site's runner, or the page itself. */
export function pageRunner(store: Store): Runner {
  return new EitherRunner(siteRunner(), store, `${siteRoot()}engine/`);
}
