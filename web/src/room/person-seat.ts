// The instructor's controls for a participant's name, identifier, key and row.

import { button, el } from "../dom.ts";
import type { Participant, PersonView, Room } from "../go/room.ts";
import { MAX_IDENTIFIER, MAX_NAME } from "../go/room-limits.ts";
import type { Change, RoomAPI } from "./api.ts";
import { asking } from "./confirm.ts";
import { seatLink } from "./seat-more.ts";
import { grouped } from "./typed.ts";
import { refusalWords } from "./words.ts";

export interface PersonSeatOptions {
  api: RoomAPI;
  /** Returns the URL of the site as participants open it. */
  site: () => string;
  change: (change: Change, done: string) => void;
  /** Closes the dialog. */
  close: () => void;
}

/** Returns the controls for the persons at a participant's seat. */
export function personSeat(options: PersonSeatOptions, room: Room, participant: Participant): HTMLElement {
  const others = room.participants.filter(({ id }) => id !== participant.id);
  return el(
    "details",
    { class: "room-seat" },
    el("summary", {}, "Name, key and row"),
    ...participant.people.flatMap((person) => [
      nameForm(options, person),
      keyControl(options, room.room, person),
      ...(others.length > 0 ? [mergeForm(options, person, others)] : []),
    ]),
  );
}

function nameForm({ change, close }: PersonSeatOptions, { id, name, identifier, ambiguous }: PersonView): HTMLElement {
  const nameField = el("input", { value: name, maxlength: MAX_NAME, dir: "auto", autocomplete: "off" });
  const identifierField = el("input", { value: identifier, maxlength: MAX_IDENTIFIER, autocomplete: "off" });
  const problem = el("span", { class: "room-problem", role: "alert" });
  const form = el(
    "form",
    { class: "room-controls", novalidate: true },
    el("label", {}, "Name", nameField),
    el("label", {}, "Identifier or e-mail", identifierField),
    el("button", { class: "ots-button", type: "submit" }, "Rename", el("span", { class: "ots-unseen" }, ` ${name}`)),
    problem,
    ambiguous &&
      el(
        "p",
        { class: "room-problem" },
        "Somebody else here has the same identifier, so the tables for Moodle and Canvas have it for neither.",
      ),
  );
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const renamed = nameField.value.trim();
    problem.textContent = renamed === "" ? "Type a name." : "";
    if (renamed === "") return;
    const identified = identifierField.value.trim();
    change({ rename: { participant: id, name: renamed, identifier: identified } }, `${name} has been renamed.`);
    close();
  });
  return form;
}

function keyControl({ api, site }: PersonSeatOptions, code: string, { id, name }: PersonView): HTMLElement {
  const answer = el("div", { role: "status" });
  const make = async () => {
    const made = await api.newKey(code, id);
    if (made.kind !== "ok") {
      return answer.replaceChildren(el("p", { class: "room-problem" }, refusalWords(made)));
    }
    const link = el("input", {
      class: "room-link",
      readonly: true,
      value: seatLink(site(), code, made.value.token),
      "aria-label": `Link of ${name}`,
    });
    link.addEventListener("focus", () => link.select());
    answer.replaceChildren(
      el(
        "p",
        {},
        `The key of ${name} is now `,
        el("b", { class: "room-key" }, grouped(made.value.token)),
        ". The link opens the seat in another browser. The key and the link are shown only once, so copy one of " +
          "them now.",
      ),
      el("p", { class: "room-controls" }, link),
    );
  };
  return el(
    "div",
    { class: "room-controls" },
    asking(
      `New key for ${name}`,
      "Their current key stops working, even in a browser that is open now.",
      "Make a new key",
      () => void make(),
    ),
    answer,
  );
}

function mergeForm(
  { change, close }: PersonSeatOptions,
  { id, name }: PersonView,
  others: readonly Participant[],
): HTMLElement {
  // The row of a pair is the first one's. What the second one did is not in it, and would not be seen in the grid.
  const words = ({ name, people }: Participant) =>
    people.length > 1 ? `${name} (counts for ${people[0]!.name})` : name;
  const choice = el(
    "select",
    { "aria-label": `Row to merge ${name} into` },
    ...others.map((row) => el("option", { value: row.id }, words(row))),
  );
  return el(
    "div",
    { class: "room-controls" },
    el("label", {}, "The same person as ", choice),
    asking(
      `Merge ${name} into that row`,
      "Everything that was handed in will count for that row, and both keys will open it. This cannot be undone.",
      "Merge",
      () => {
        const into = others.find((row) => row.id === choice.value);
        if (!into) return;
        change({ merge: { participant: id, into: into.id } }, `${name} has been merged into the row of ${into.name}.`);
        close();
      },
    ),
  );
}

/** Returns the button that opens the room as a participant has it. fail is called with what went wrong. */
export function previewButton(api: RoomAPI, code: string, site: string, fail: (why: string) => void): HTMLElement {
  const open = async () => {
    // Browsers let a page open a window only while a press is being handled.
    const tab = globalThis.open("about:blank");
    const made = await api.preview(code);
    if (made.kind !== "ok") {
      tab?.close();
      return fail(refusalWords(made));
    }
    const link = seatLink(site, code, made.value.token);
    if (tab) tab.location.replace(link);
    else fail("The browser has blocked the new tab. Allow this page to open windows, and press the button again.");
  };
  return button("ots-button", () => void open(), "Try it as a participant");
}
