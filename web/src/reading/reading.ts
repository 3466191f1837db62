// Where the reader is: the page of the book or of an exercise that was opened last, and the pages of the book that were
// read to their end. The sidebar shows it, by sidebar.ts, and the links to the beginning, by place.ts.

import { readSaved } from "../exercise/saved.ts";
import { isFields } from "../json.ts";
import { bookRoot } from "../site-root.ts";
import type { Store } from "../store.ts";

export const READING = "reading";

/** The pages from which a book is begun. They are no place to continue at, so a look at them changes none. */
export const BEGINNINGS = ["introduction.html", "index.html"];
/** The page of an exercise, from the book's folder. */
export const EXERCISE = /^\.\.\/exercises\/(exercise\d+)\/$/;

interface Reading {
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

/** Stores that this page was opened and, when the end of a page of the book comes into view, that it was read. */
export function followReading(store: Store): void {
  const page = pathOf(location.href);
  const text = document.querySelector("#mdbook-content main, main.exercises");
  if (!text || page === "" || page === "print.html") return;
  // What this page is about to store needs no mark yet.
  const marks = store.namesAfter("").length > 0;
  const change = (change: (reading: Reading) => void) => {
    const reading = store.load(READING, readReading) ?? { page: "", title: "", read: [] };
    change(reading);
    store.save(READING, reading);
  };
  if (!BEGINNINGS.includes(page))
    change((reading) => {
      reading.page = page;
      reading.title = text.querySelector("h1")?.textContent?.trim() || document.title;
    });
  if (EXERCISE.test(page)) return;
  const end = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    end.disconnect();
    change((reading) => {
      if (!reading.read.includes(page)) reading.read.push(page);
    });
  });
  if (text.lastElementChild) end.observe(text.lastElementChild);
  if (marks) void import("./sidebar.ts").then(({ markSidebar }) => markSidebar(store), () => {});
}

export const isPassed = (store: Store, id: string): boolean => store.load(id, readSaved)?.passed ?? false;
