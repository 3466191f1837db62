// The form that leads into a room: a code and a name, or the key of somebody who has joined before.

import { el } from "../dom.ts";
import { MAX_NAME } from "../go/room-limits.ts";
import { RoomAPI, type Answer } from "./api.ts";
import { isCode, isToken, normalized } from "./typed.ts";
import { PersonFields } from "./person-fields.ts";
import type { Seat } from "./seat.ts";
import type { SeatMore } from "./seat-more.ts";
import { sentence } from "./words.ts";

const NOT_A_CODE = "A code has six letters and digits, such as K7M2QX. It has no 0, 1, I or O.";
const NOT_A_KEY = "A key has sixteen letters and digits. It has no 0, 1, I or O.";
const NO_ANSWER =
  "The server does not answer, or it has no rooms. " +
  "Ask the instructor whether this is the right address, then try again.";

/** The form does not know the room before the code is typed, so it speaks of all rooms. */
const SEEN =
  "The instructor sees how far you are. In some rooms, the instructor and their helpers also see the code that you " +
  "check: the room then says so before any code is sent.";

/** Called with the place in the room. */
export type Joined = (seat: Seat, more: SeatMore) => void;

/** Returns the forms. code is filled in. */
export function joinForm(root: string, code: string, joined: Joined): HTMLElement {
  const fields = new PersonFields("room-join");
  const first = form("Join", code, {
    more: el("div", {}, fields.root, el("p", { class: "room-hint" }, SEEN)),
    label: "Your name",
    hint: "The instructor sees it. The others do not.",
    attributes: { name: "name", maxlength: MAX_NAME, autocomplete: "nickname", dir: "auto" },
    async send(code, name) {
      if (name.trim() === "") return "Type a name.";
      const missing = fields.missing();
      if (missing !== "") return missing;
      const api = new RoomAPI(root, "");
      const answer = await api.join(code, { name, identifier: fields.identifier.trim() }, fields.partner);
      if (answer.kind !== "ok") return why(answer);
      const partner = answer.value.partner?.token ?? "";
      return enter(root, code, answer.value.token, (seat, more) => joined(seat, { ...more, partner }));
    },
  });
  const again = form("Continue", code, {
    label: "Your key",
    hint: "The page of the room shows it in the browser in which you joined, under “Continue in another browser”.",
    attributes: { name: "key", maxlength: 40, autocomplete: "off", autocapitalize: "characters", spellcheck: "false" },
    async send(code, typed) {
      const token = normalized(typed);
      return isToken(token) ? enter(root, code, token, joined) : NOT_A_KEY;
    },
  });
  return el(
    "div",
    { class: "room-join" },
    first,
    el(
      "details",
      { class: "room-again" },
      el("summary", {}, "I have joined this room before, in another browser"),
      again,
    ),
  );
}

/** Fetches the participant's own row, and takes the place. Resolves to what went wrong, or to "". */
export async function enter(root: string, code: string, token: string, joined: Joined): Promise<string> {
  const answer = await new RoomAPI(root, token).show(code);
  if (answer.kind !== "ok") return why(answer);
  const { room, title, participants, preview } = answer.value;
  const own = participants[0];
  if (!own || participants.length > 1)
    return "This is the instructor's token, not a participant's key. Join with a name.";
  joined({ room, title, participant: own.id, token, name: own.name }, { partner: "", preview });
  return "";
}

function why(answer: Exclude<Answer<unknown>, { kind: "ok" }>): string {
  return answer.kind === "unreachable" ? NO_ANSWER : sentence(answer.message);
}

interface Second {
  label: string;
  hint: string;
  attributes: Record<string, string | number>;
  /** Further fields, below this one. */
  more?: HTMLElement;
  /** Sends the form. Resolves to what went wrong, or to "". */
  send: (code: string, value: string) => Promise<string>;
}

let forms = 0;

function form(action: string, code: string, second: Second): HTMLElement {
  const id = `room-form-${++forms}`;
  const codeField = el("input", {
    id: `${id}-code`,
    class: "room-code-field",
    name: "code",
    value: code,
    maxlength: 12,
    required: true,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    "aria-describedby": `${id}-problem`,
  });
  const field = el("input", {
    id: `${id}-second`,
    required: true,
    "aria-describedby": `${id}-hint ${id}-problem`,
    ...second.attributes,
  });
  const problem = el("p", { class: "room-problem", id: `${id}-problem`, role: "alert" });
  const submit = el("button", { class: "ots-button is-main", type: "submit" }, action);
  const root = el(
    "form",
    { class: "room-form", novalidate: true },
    el("p", {}, el("label", { for: `${id}-code` }, "Code of the room"), codeField),
    el(
      "p",
      {},
      el("label", { for: `${id}-second` }, second.label),
      field,
      el("span", { class: "room-hint", id: `${id}-hint` }, second.hint),
    ),
    second.more,
    problem,
    el("p", {}, submit),
  );
  let busy = false;
  root.addEventListener("submit", (e) => {
    e.preventDefault();
    if (busy) return;
    const code = normalized(codeField.value);
    if (!isCode(code)) {
      problem.textContent = NOT_A_CODE;
      codeField.focus();
      return;
    }
    busy = true;
    submit.setAttribute("aria-disabled", "true");
    problem.textContent = "";
    void second.send(code, field.value).then((went) => {
      busy = false;
      submit.removeAttribute("aria-disabled");
      problem.textContent = went;
      if (went !== "" && !second.more?.contains(document.activeElement)) field.focus();
    });
  });
  return root;
}
