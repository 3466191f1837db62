// The script of a workshop's plan: the instructor's start time, what is under way, what comes next, and how late it is.

import { button, el } from "../dom.ts";
import { browserStore } from "../store.ts";
import { begin, clock, lateWords, planned, readClock, StoredDay, timeOf, whereAt } from "./schedule.ts";
import type { Block, Day } from "./schedule.ts";
import { withRoom } from "./room-code.ts";

const TICK_MS = 5000;

/** A block with its row in the timetable. */
interface Row extends Block {
  row: HTMLElement;
  /** The page that is projected during the block: the first that its text names; null if there is none. */
  page: string | null;
  slide: string;
}

const plan = document.querySelector<HTMLElement>(".timetable[data-plan]");
if (plan) show(plan);

function show(plan: HTMLElement): void {
  withRoom(document.querySelectorAll<HTMLAnchorElement>("main a.slide-link"));
  const rows = [...plan.querySelectorAll<HTMLElement>("tr[data-minutes]")].map(readRow);
  const stored = new StoredDay(browserStore(), plan.dataset["plan"] ?? "", readClock(plan.dataset["start"] ?? "") ?? 0);
  let day = stored.load(new Date());

  const start = el("input", { type: "time", id: "day-start", required: true });
  const problem = el("span", { class: "day-problem", role: "alert" });
  const now = el("p", { class: "day-now" });
  const next = el("p", { class: "day-next" });
  const late = el("p", { class: "day-late" });
  const spoken = el("p", { class: "day-said", role: "status" });
  const forward = button("day-button is-main", () => move(1));
  const back = button("day-button", () => move(-1), "Back");
  const page = el("a", { class: "day-button", target: "projector" }, "Project the page ", el("kbd", {}, "P"));
  const slide = el("a", { class: "day-button", target: "projector" }, "Project the slide ", el("kbd", {}, "S"));
  const bar = el(
    "section",
    { class: "day", "aria-label": "Today" },
    el("div", { class: "day-where" }, late, now, next),
    el(
      "p",
      { class: "day-tools" },
      ...[forward, back, page, slide],
      el("span", { class: "day-start" }, el("label", { for: "day-start" }, "Starts at"), " ", start, problem),
    ),
    spoken,
  );
  plan.before(bar);

  const set = (changed: Day) => {
    day = changed;
    problem.textContent = stored.save(day)
      ? ""
      : "This browser's storage is blocked or full: the times last until you leave.";
    draw();
  };
  const move = (by: 1 | -1) => {
    const at = day.begun.length - 1 + by;
    if (at > rows.length) return;
    set(by > 0 ? begin(day, at, new Date()) : { ...day, begun: day.begun.slice(0, -1) });
    spoken.textContent = `${now.textContent} ${late.textContent}`;
  };
  const draw = () => {
    const { at, late: behind } = whereAt(rows, day, timeOf(new Date()));
    const times = planned(rows, day.start);
    rows.forEach(({ row, id }, i) => {
      row.classList.toggle("is-now", i === at);
      row.firstElementChild!.textContent = clock(times[i]!);
      const section = document.getElementById(id)?.closest(".block");
      section?.classList.toggle("is-now", i === at);
      const time = section?.querySelector(".time");
      if (time) time.textContent = `${clock(times[i]!)}–${clock(times[i + 1]!)}`;
    });
    plan.querySelector(".end > :first-child")!.textContent = clock(times.at(-1)!);
    plan.querySelector(".from")!.textContent = clock(day.start);
    plan.querySelector(".to")!.textContent = clock(times.at(-1)!);

    const under = rows[at];
    const following = rows[at + 1];
    const shift = behind ?? 0;
    if (under) now.replaceChildren("Now: ", el("strong", {}, under.title), `, planned until ${clock(times[at + 1]!)}.`);
    else now.textContent = at < 0 ? `The plan begins at ${clock(day.start)}.` : "The plan is over.";
    next.textContent = following
      ? `Next: ${following.title}, planned for ${clock(times[at + 1]!)}.`
      : under
        ? `Then the end, planned for ${clock(times.at(-1)!)}.`
        : "";
    const end = under && shift > 0 ? `: it will end at ${clock(times.at(-1)! + shift)}` : "";
    late.textContent = behind === null ? "" : sentence(lateWords(behind) + end);
    late.classList.toggle("is-late", shift > 0);
    const step = day.begun.length === 0 ? "Begin " : following || under ? "Next " : "Over ";
    forward.replaceChildren(step, el("kbd", {}, "N"));
    forward.setAttribute("aria-disabled", String(day.begun.length > rows.length));
    back.hidden = day.begun.length === 0;
    const projected = under ?? following;
    page.hidden = !projected?.page;
    slide.hidden = !projected;
    if (projected?.page) page.href = projected.page;
    if (projected) slide.href = projected.slide;
    if (document.activeElement !== start) start.value = clock(day.start).padStart(5, "0");
  };

  start.addEventListener("change", () => {
    const time = readClock(start.value);
    if (time !== null) set({ ...day, start: time });
  });
  document.addEventListener("keydown", (e) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.target instanceof HTMLInputElement) return;
    const pressed = { n: forward, p: page, s: slide }[e.key.toLowerCase()];
    if (!pressed || pressed.hidden) return;
    e.preventDefault();
    pressed.click();
  });
  stored.onElsewhere(() => {
    day = stored.load(new Date());
    draw();
  });
  setInterval(() => {
    // Another date has no begun blocks.
    day = day.begun.length === 0 ? day : stored.load(new Date());
    draw();
  }, TICK_MS);
  draw();
}

function readRow(row: HTMLElement): Row {
  const title = row.querySelector<HTMLAnchorElement>("td:nth-child(2) a")!;
  return {
    row,
    id: title.hash.slice(1),
    title: title.textContent ?? "",
    minutes: Number(row.dataset["minutes"]),
    page: row.querySelector<HTMLAnchorElement>("a.page-link")?.href ?? null,
    slide: row.querySelector<HTMLAnchorElement>("a.slide-link")?.href ?? "",
  };
}

function sentence(words: string): string {
  return `${words[0]!.toUpperCase()}${words.slice(1)}.`;
}
