// The script of a plan's deck: keys and a list of them, the address and the room's code on the first slide, the times,
// and the speaker's notes, below the slide or in a second window. Without it, the slides are sections of a plain page.

import { button, el } from "../dom.ts";
import { brokenAddress, JoinAddress, shortened } from "../room/address.ts";
import { qrCode } from "../room/qr.ts";
import { siteRoot } from "../site-root.ts";
import { browserStore } from "../store.ts";
import { roomCode, withRoom } from "./room-code.ts";
import { begin, clock, lateWords, planned, readClock, StoredDay, timeOf, whereAt, type Block } from "./schedule.ts";

const TICK_MS = 5000;
const FORWARD: Record<string, number> = {
  ArrowRight: 1,
  ArrowDown: 1,
  PageDown: 1,
  " ": 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageUp: -1,
};

/** The keys in words, for the list. */
const KEYS: [keys: string[], does: string][] = [
  [["→", "↓", "Space", "Page Down"], "the next slide"],
  [["←", "↑", "Page Up"], "the slide before"],
  [["Home", "End"], "the first slide, the last one"],
  [["N"], "the speaker’s notes below the slide"],
  [["W"], "the notes in a second window, which follows the slides"],
  [["?"], "this list"],
];

const deck = document.querySelector<HTMLElement>(".deck");
if (deck) show(deck);

function show(deck: HTMLElement): void {
  const root = document.documentElement;
  const store = browserStore();
  const plan = deck.dataset["plan"] ?? "";
  const slides = [...deck.querySelectorAll<HTMLElement>(".slide")];
  const parts = slides.filter((slide) => slide.dataset["minutes"] !== undefined);
  const blocks = parts.map(readBlock);
  /** Returns the index of the block that a slide belongs to; -1 for the first slide. */
  const blockAt = (at: number) => slides.slice(0, at + 1).filter((slide) => parts.includes(slide)).length - 1;
  const stored = new StoredDay(store, plan, readClock(deck.dataset["start"] ?? "") ?? 0);
  const others = new BroadcastChannel(`onthestack/deck/${plan}`);
  /** Whether this window shows the notes for the speaker, while another one is projected. */
  const speaker = new URLSearchParams(location.search).has("notes");
  const status = el("p", { class: "deck-status" });
  let shown = -1;

  root.classList.add(speaker ? "is-speaker" : "is-deck");
  for (const notes of deck.querySelectorAll("details")) notes.open = true;
  const address = new JoinAddress(store, siteRoot());
  const site = address.site ?? siteRoot();
  fillFirst(deck, site, address.local);
  withRoom([]);
  for (const link of deck.querySelectorAll<HTMLAnchorElement>(":is(.exercise, .screen > p) > a")) {
    const path = link.href.slice(siteRoot().length).replace(/\/$/, "");
    link.after(el("span", { class: "where" }, `${shortened(site)}/${path}`));
  }
  if (speaker) deck.append(status);
  const keys = keyList();
  deck.append(keys);
  slides[0]?.append(el("p", { class: "deck-hint" }, "Press ", el("kbd", {}, "?"), " for the keys."));

  const times = () => {
    const now = new Date();
    const day = stored.load(now);
    const all = planned(blocks, day.start);
    deck.querySelector(".from")!.textContent = clock(day.start);
    deck.querySelector(".to")!.textContent = clock(all.at(-1)!);
    const { late } = whereAt(blocks, day, timeOf(now));
    slides.forEach((slide, at) => {
      const i = blockAt(at);
      if (i < 0) return;
      slide.querySelector(".time")!.textContent = `${clock(all[i]!)}–${clock(all[i + 1]!)}`;
      const until = slide.querySelector(".until");
      if (until) until.textContent = `Until ${clock(all[i + 1]! + Math.max(late ?? 0, 0))}`;
    });
    const after = blockAt(shown) + 1;
    const next = blocks[after];
    status.textContent = [
      clock(timeOf(now)),
      late === null ? "" : lateWords(late),
      next ? `next: ${next.title}, ${clock(all[after]!)}` : "the last part",
    ].filter(Boolean).join(" · ");
  };

  /** Notes that a slide is shown. Of a workshop that has begun, its block begins, unless the speaker looks back. */
  const reached = (to: number, tell: boolean) => {
    if (to === shown) return;
    shown = to;
    slides.forEach((slide, i) => slide.classList.toggle("is-shown", i === to));
    // With the first slide in the address of a page that is still loading, the browser would begin at that slide, and
    // the first Tab would miss the link that skips to it.
    if (to > 0 || location.hash !== "") history.replaceState(null, "", `#${slides[to]!.id}`);
    if (tell) others.postMessage(slides[to]!.id);
    const day = stored.load(new Date());
    const block = blockAt(to);
    if (day.begun.length > 0 && block >= day.begun.length) stored.save(begin(day, block, new Date()));
    times();
  };
  const go = (to: number, tell = true) => {
    const at = Math.max(0, Math.min(to, slides.length - 1));
    slides[at]!.scrollIntoView({ block: "start", behavior: "instant" });
    reached(at, tell);
  };
  const indexOf = (id: unknown) => slides.findIndex((slide) => slide.id === id);
  const here = () => indexOf(decodeURIComponent(location.hash.slice(1)));

  others.addEventListener("message", ({ data }) => {
    const at = indexOf(data);
    if (at >= 0) go(at, false);
  });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || !(e.target instanceof Element)) return;
    if (e.target.closest("a, button, summary") && e.key === " ") return;
    const drawing = e.target.closest(".ots-drawing");
    // A drawing that is wider than the screen scrolls by itself.
    if (drawing && drawing.scrollWidth > drawing.clientWidth && e.key.startsWith("Arrow")) return;
    const step = FORWARD[e.key];
    if (step !== undefined) go(shown + step);
    else if (e.key === "Home") go(0);
    else if (e.key === "End") go(slides.length - 1);
    else if (e.key === "n" && !speaker) root.classList.toggle("has-notes");
    else if (e.key === "w" && !speaker) openNotes();
    else if (e.key === "?" && keys.open) keys.close();
    else if (e.key === "?") keys.showModal();
    else return;
    e.preventDefault();
  });
  addEventListener("hashchange", () => {
    const at = here();
    if (at >= 0) reached(at, true);
  });
  // The reader may also scroll from slide to slide. The observer's entries are older than a key that was pressed in the
  // meantime, so the callback asks which slide is in the middle now.
  const middle = () => {
    const y = innerHeight / 2;
    return slides.findIndex((slide) => {
      const { top, bottom } = slide.getBoundingClientRect();
      return top <= y && y < bottom;
    });
  };
  const seen = new IntersectionObserver(
    () => {
      const at = middle();
      if (at >= 0) reached(at, true);
    },
    { rootMargin: "-50% 0px -50% 0px" },
  );
  if (!speaker) for (const slide of slides) seen.observe(slide);
  stored.onElsewhere(times);
  setInterval(times, TICK_MS);
  go(Math.max(here(), 0), false);
}

/** Returns the list of the keys, which is closed. */
function keyList(): HTMLDialogElement {
  const named = (names: string[]) => names.map((name) => el("kbd", {}, name));
  const list = el("dl", {}, ...KEYS.flatMap(([names, does]) => [el("dt", {}, ...named(names)), el("dd", {}, does)]));
  const close = button("day-button", () => dialog.close(), "Close");
  const title = el("h2", { id: "deck-keys" }, "Keys");
  const dialog = el("dialog", { class: "deck-keys", "aria-labelledby": title.id }, title, list, close);
  return dialog;
}

/** Opens the notes in a window that follows the slides, and that the slides follow. */
function openNotes(): void {
  const url = new URL(location.href);
  url.searchParams.set("notes", "");
  open(url.href, "onthestack-notes", "popup,width=900,height=700");
}

/** Puts the address, and the code of the room if it is known, on the first slide. */
function fillFirst(deck: HTMLElement, site: string, local: boolean): void {
  const place = deck.querySelector<HTMLElement>(".deck-join");
  if (!place) return;
  const code = roomCode();
  const href = code === "" ? site : `${site}join/#${code}`;
  const words = shortened(code === "" ? site : `${site}join`);
  place.replaceChildren(
    qrCode(href, `QR code of ${href}`),
    el(
      "div",
      {},
      el("p", { class: "deck-label" }, "Open"),
      el("p", { class: "deck-address" }, ...brokenAddress(words)),
      ...(code === "" ? [] : [el("p", { class: "deck-label" }, "and type"), el("p", { class: "deck-code" }, code)]),
      local &&
        el(
          "p",
          { class: "deck-local" },
          "Only this machine can open this address. Open the deck at the address that the machine has in the network.",
        ),
    ),
  );
}

function readBlock(slide: HTMLElement): Block {
  return {
    id: slide.id,
    title: slide.querySelector("h2")?.textContent ?? "",
    minutes: Number(slide.dataset["minutes"]),
  };
}
