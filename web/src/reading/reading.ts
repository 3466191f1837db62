// Stores where the reader is. The sidebar shows it, by sidebar.ts, and so do the links to the beginning, by place.ts.

import type { Store } from "../store.ts";
import { BEGINNINGS, EXERCISE, pathOf, READING, readReading, type Reading } from "./stored.ts";

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
  if (marks) void import("./sidebar.ts").then(({ markSidebar }) => markSidebar(store), console.error);
}
