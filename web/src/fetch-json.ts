// Fetches the JSON files of the book.

import { bookRoot } from "./site-root.ts";

/** Resolves to the parsed JSON of a file relative to the book's folder, or rejects if it cannot be fetched. */
export async function fetchJSON(href: string): Promise<unknown> {
  const reply = await fetch(bookRoot() + href);
  if (!reply.ok) throw new Error(`${href}: ${reply.status}`);
  return reply.json();
}
