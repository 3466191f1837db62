// Where the reader is in the book: the page that was opened last, and the pages that were read to their end. The
// sidebar and the links to the book's beginning show it.

import { readSaved } from "../exercise/saved.ts";
import { el } from "../dom.ts";
import { isFields } from "../json.ts";
import { bookRoot } from "../site-root.ts";
import type { Store } from "../store.ts";

const NAME = "reading";

interface Reading {
  /** The page that was opened last, from the book's folder: "memory-profiling/profile.html". */
  page: string;
  title: string;
  /** The pages that were read to their end. */
  read: string[];
  /** The exercises on pages that were opened, by page. */
  exercises: Record<string, string[]>;
}

const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((name) => typeof name === "string");

export function readReading(json: unknown): Reading | null {
  if (!isFields(json) || typeof json["page"] !== "string" || typeof json["title"] !== "string") return null;
  const { page, title, read, exercises } = json;
  const known = Object.entries(isFields(exercises) ? exercises : {}).filter(([, ids]) => isNames(ids));
  const byPage = Object.fromEntries(known) as Record<string, string[]>;
  return { page, title, read: isNames(read) ? read : [], exercises: byPage };
}

/** Returns the path of a page from the book's folder, or "" for a page outside. */
function pathOf(address: string): string {
  const root = bookRoot();
  const { href } = new URL(address.replace(/[?#].*/, ""), document.baseURI);
  return href.startsWith(root) ? href.slice(root.length).replace(/(^|\/)$/, "$1index.html") : "";
}

/** Stores that this page of the book was opened and, when its end comes into view, that it was read. */
export function followReading(store: Store): void {
  const page = pathOf(location.href);
  const text = document.querySelector("#mdbook-content main");
  if (!text || page === "" || page === "print.html") return;
  const change = (change: (reading: Reading) => void) => {
    const reading = store.load(NAME, readReading) ?? { page, title: "", read: [], exercises: {} };
    change(reading);
    store.save(NAME, reading);
  };
  change((reading) => {
    reading.page = page;
    reading.title = text.querySelector("h1")?.textContent?.trim() || document.title;
    const ids = [...text.querySelectorAll<HTMLElement>(".ots-exercise")].map((block) => block.id).filter((id) => id);
    if (ids.length > 0) reading.exercises[page] = ids;
  });
  const end = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    end.disconnect();
    change((reading) => {
      if (!reading.read.includes(page)) reading.read.push(page);
    });
  });
  if (text.lastElementChild) end.observe(text.lastElementChild);
  void customElements.whenDefined("mdbook-sidebar-scrollbox").then(() => markSidebar(store));
}

/** Marks the pages that were read, and says how many exercises of a page have passed. */
function markSidebar(store: Store): void {
  const reading = store.load(NAME, readReading);
  for (const link of document.querySelectorAll<HTMLAnchorElement>("#mdbook-sidebar .chapter a[href]")) {
    const page = pathOf(link.href);
    const ids = reading?.exercises[page] ?? [];
    const passed = ids.filter((id) => store.load(id, readSaved)?.passed).length;
    const mark = passed > 0 ? `${passed} of ${ids.length} passed` : reading?.read.includes(page) ? "✓" : "";
    if (mark !== "") link.append(el("span", { class: "ots-reading" }, ` ${mark}`));
  }
}

/** Makes a link to the book's beginning one to the page where the reader was, if that is another one. */
export function continueReading(link: HTMLAnchorElement, store: Store): void {
  const reading = store.load(NAME, readReading);
  const beginning = [pathOf(link.href), pathOf(location.href), "introduction.html", "index.html"];
  if (!reading || beginning.includes(reading.page)) return;
  link.href = bookRoot() + reading.page;
  link.textContent = `Continue: ${reading.title}`;
}
