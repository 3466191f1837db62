// Fetches a file of the book's build, when a reader asks for what is in it.

import { bookRoot } from "./site-root.ts";

/** Resolves to the parsed JSON of a file below the book's folder, or rejects where it cannot be had. */
export async function fetchJSON(href: string): Promise<unknown> {
  const reply = await fetch(bookRoot() + href);
  if (!reply.ok) throw new Error(`${href}: ${reply.status}`);
  return reply.json();
}
