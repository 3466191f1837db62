// Where the reader is: the page of the book or of an exercise that was opened last, and the pages of the book that were
// read to their end, as they are stored.

import { readSaved } from "../exercise/saved.ts";
import { isFields } from "../json.ts";
import { bookRoot } from "../site-root.ts";
import type { Store } from "../store.ts";

export const READING = "reading";

/** The pages from which a book is begun. They are no place to continue at, so a look at them changes none. */
export const BEGINNINGS = ["introduction.html", "index.html"];
/** The page of an exercise, from the book's folder. */
export const EXERCISE = /^\.\.\/exercises\/(exercise\d+)\/$/;

export interface Reading {
  /**
   * The page that was opened last, from the book's folder: "memory-profiling/profile.html", or
   * "../exercises/exercise6/"; "" for none.
   */
  page: string;
  title: string;
  /** The pages that were read to their end. */
  read: string[];
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

export function readReading(json: unknown): Reading | null {
  if (!isFields(json) || typeof json["page"] !== "string" || typeof json["title"] !== "string") return null;
  const { page, title, read } = json;
  return { page, title, read: isNames(read) ? read : [] };
}

/**
 * Returns the path of a page of the book from the book's folder, or of the page of an exercise; "" for any other page.
 */
export function pathOf(address: string): string {
  const root = bookRoot();
  const { href } = new URL(address.replace(/[?#].*/, ""), document.baseURI);
  if (href.startsWith(root)) return href.slice(root.length).replace(/(^|\/)$/, "$1index.html");
  const site = new URL("../", root).href;
  const path = href.startsWith(site) ? `../${href.slice(site.length)}` : "";
  return EXERCISE.test(path) ? path : "";
}

export const isPassed = (store: Store, id: string): boolean => store.load(id, readSaved)?.passed ?? false;
