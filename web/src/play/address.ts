// Where the editor's page is, and which program its address names.

import { siteRoot } from "../site-root.ts";

/** The address of a shared program; "" is the page that belongs to none. */
export function addressOf(id: string): string {
  return siteRoot() + (id === "" ? "play/" : `p/${id}`);
}

/** The shared program that this address names, or "". */
export function programHere(): string {
  const shared = addressOf("-").slice(0, -1);
  const here = location.origin + location.pathname;
  return here.startsWith(shared) ? here.slice(shared.length) : "";
}
