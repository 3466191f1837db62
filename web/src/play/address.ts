// The URLs of the editor's page.

import { siteRoot } from "../site-root.ts";

/** Returns the URL of a shared program, or for "" the URL of the page without one. */
export function addressOf(id: string): string {
  return siteRoot() + (id === "" ? "play/" : `p/${id}`);
}

/** Returns the ID of the shared program in this page's URL, or "". */
export function programHere(): string {
  const shared = addressOf("-").slice(0, -1);
  const here = location.origin + location.pathname;
  return here.startsWith(shared) ? here.slice(shared.length) : "";
}
