// The script of /join: the form, or the room that this browser has joined.

import { el, onFragment } from "../dom.ts";
import { siteRoot } from "../site-root.ts";
import { browserStore } from "../store.ts";
import { isCode, isToken, normalized } from "./typed.ts";
import { Exercises } from "./data.ts";
import { enter as enterRoom, joinForm } from "./join-form.ts";
import { keepSeat } from "./keep-seat.ts";
import { ParticipantPage } from "./participant.ts";
import {
  forgetLostSeat,
  LEFT_ELSEWHERE,
  leaveSeat,
  loadSeat,
  loseSeat,
  lostSeat,
  onSeat,
  saveSeat,
  type Seat,
} from "./seat.ts";
import { loadSeatMore, saveSeatMore, type SeatMore } from "./seat-more.ts";

const HEADING = "Join a room";

const block = document.querySelector<HTMLElement>(".ots-join");
const heading = document.querySelector<HTMLElement>("main h1");
if (block && heading) begin(block, heading);

function begin(block: HTMLElement, heading: HTMLElement): void {
  const store = browserStore();
  const root = siteRoot();
  const exercises = new Exercises(block);
  const shown = el("div", {});
  block.append(shown);
  let page: ParticipantPage | null = null;

  /** The code in the address, or "", and the key after it. */
  const parts = () => decode(location.hash.slice(1)).split("/").map(normalized);
  const asked = () => {
    const [code = ""] = parts();
    return isCode(code) ? code : "";
  };
  const clear = () => {
    page?.stop();
    page = null;
  };
  const enter = (seat: Seat) => {
    clear();
    page = new ParticipantPage({ root, seat, store, exercises, heading, onLeave: leave });
    shown.replaceChildren(page.root);
    document.title = `${seat.title} · On the Stack`;
  };
  const leave = (why: string) => {
    if (why === "") leaveSeat(store);
    else loseSeat(store);
    ask(why);
  };
  const join = (seat: Seat, more: SeatMore) => {
    const kept = saveSeat(store, seat);
    // The key of a partner is not in a link that opens the same seat again.
    saveSeatMore(store, seat, { ...more, partner: more.partner || loadSeatMore(store, seat).partner });
    forgetLostSeat(store);
    if (location.hash !== `#${seat.room}`) history.replaceState(null, "", `#${seat.room}`);
    enter(seat);
    if (!kept) shown.prepend(el("p", { class: "room-problem" }, NOT_KEPT));
    heading.tabIndex = -1;
    heading.focus();
  };
  const ask = (notice: string) => {
    clear();
    heading.textContent = HEADING;
    document.title = `${HEADING} · On the Stack`;
    const form = joinForm(root, asked(), join);
    const other = loadSeat(store);
    const lost = other ? null : lostSeat(store);
    shown.replaceChildren(
      ...(notice === "" ? [] : [el("p", { class: "room-problem", role: "alert" }, notice)]),
      ...(other ? [otherRoom(other, () => enter(other))] : []),
      ...(lost ? [lostRoom(lost, () => enterRoom(root, lost.room, lost.token, join))] : []),
      form,
    );
  };
  /** Takes the seat that a link with a key opens. The key does not stay in the address. */
  const follow = (code: string, key: string) => {
    history.replaceState(null, "", `#${code}`);
    const own = loadSeat(store);
    const taken = (seat: Seat, more: SeatMore) => {
      if (!own || own.participant === seat.participant || loadSeatMore(store, own).preview) return join(seat, more);
      clear();
      const take = () => join(seat, more);
      shown.replaceChildren(keepSeat(own, seat, take, () => enter(own)));
    };
    void enterRoom(root, code, key, taken).then((wrong) => wrong !== "" && ask(wrong));
  };
  const route = () => {
    const [code = "", key = ""] = parts();
    if (isCode(code) && isToken(key)) return follow(code, key);
    const seat = loadSeat(store);
    if (seat && (asked() === "" || asked() === seat.room)) enter(seat);
    else ask("");
  };
  onFragment(route);
  onSeat(store, (seat) => {
    if (seat) route();
    else if (page) ask(LEFT_ELSEWHERE);
    // Otherwise the form is shown, and maybe why: both tabs may hear at once that the room is gone.
  });
  route();
}

const NOT_KEPT =
  "This browser stores nothing for this page, so the other pages do not know that you have joined. " +
  "Allow storage, or use a window that is not private.";

/** Says that this browser is in another room, which joining leaves. */
function otherRoom(seat: Seat, back: () => void): HTMLElement {
  const link = el("button", { class: "ots-button", type: "button" }, "Go back to it");
  link.addEventListener("click", () => {
    history.replaceState(null, "", `#${seat.room}`);
    back();
  });
  return el(
    "p",
    { class: "room-other" },
    "This browser is in the room ",
    el("bdi", {}, seat.title),
    ` (${seat.room}). If you join another room, it leaves this one. `,
    link,
  );
}

/** Offers the place that was lost, which the instructor may give back. again resolves to what went wrong, or to "". */
function lostRoom(seat: Seat, again: () => Promise<string>): HTMLElement {
  const problem = el("span", { class: "room-problem", role: "alert" });
  const link = el("button", { class: "ots-button", type: "button" }, "Go back");
  link.addEventListener("click", () => {
    void again().then((wrong) => (problem.textContent = wrong));
  });
  return el(
    "p",
    { class: "room-other" },
    "This browser was in the room ",
    el("bdi", {}, seat.title),
    ` (${seat.room}) as `,
    el("bdi", {}, seat.name),
    ". If the instructor lets you back in, you can continue: ",
    link,
    " ",
    problem,
  );
}

function decode(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return "";
  }
}
