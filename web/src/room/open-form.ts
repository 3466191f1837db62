// The instructor's forms: the token, a new room, and the rooms that exist already.

import { button, el } from "../dom.ts";
import type { ListedRoom } from "../go/room.ts";
import { MAX_TITLE } from "../go/room-limits.ts";
import type { RoomAPI } from "./api.ts";
import { isCode, isToken, normalized } from "./typed.ts";
import type { Exercises, KnownPlan } from "./data.ts";
import { exerciseChoice } from "./exercise-choice.ts";
import { inPlanOrder, plansLine } from "./plan-choice.ts";
import { plural, sentence } from "./words.ts";

/** Asks for the instructor's token. */
export function tokenForm(notice: string, given: (token: string) => void): HTMLElement {
  const field = el("input", {
    id: "room-token",
    type: "password",
    autocomplete: "off",
    required: true,
    "aria-describedby": "room-token-hint",
  });
  const problem = el("p", { class: "room-problem", role: "alert" }, notice);
  const form = el(
    "form",
    { class: "room-form", novalidate: true },
    el("p", {}, "The runner makes a token for the instructor, and keeps it on its disk."),
    el(
      "p",
      {},
      el("label", { for: "room-token" }, "The instructor's token"),
      field,
      el(
        "span",
        { class: "room-hint", id: "room-token-hint" },
        "It is in the file instructor.token, in the folder that the runner was given as --state. " +
          "This tab keeps it until it is closed.",
      ),
    ),
    problem,
    el("p", {}, el("button", { class: "ots-button is-main", type: "submit" }, "Continue")),
    el(
      "p",
      { class: "room-hint" },
      el("span", {}, "Participants need no token: ", el("a", { href: "../join/" }, "Join a room"), "."),
    ),
  );
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const token = normalized(field.value);
    if (isToken(token)) return given(token);
    problem.textContent = "A token has sixteen letters and digits, without 0, 1, I and O.";
    field.focus();
  });
  return form;
}

export interface OpenFormOptions {
  api: RoomAPI;
  exercises: Exercises;
  /** The plan whose room is to be opened; null for any. */
  plan: KnownPlan | null;
  /** Called with the code of a room that was opened, or is to be shown. */
  onRoom: (code: string) => void;
  onForget: () => void;
  /** Called when the server does not accept the token. */
  onWrongToken: (why: string) => void;
}

export function openForm({ api, exercises, plan, onRoom, onForget, onWrongToken }: OpenFormOptions): HTMLElement {
  const title = el("input", {
    id: "room-title",
    value: plan?.title,
    maxlength: MAX_TITLE,
    required: true,
    dir: "auto",
    autocomplete: "off",
  });
  const deadline = el("input", { id: "room-deadline", type: "datetime-local" });
  const seesCode = el("input", { type: "checkbox", "aria-describedby": "room-sees-code" });
  const problem = el("p", { class: "room-problem", role: "alert" });
  const choice = exerciseChoice(exercises);
  choice.choose(plan?.exercises ?? []);
  const submit = el("button", { class: "ots-button is-main", type: "submit" }, "Open the room");
  const form = el(
    "form",
    { class: "room-form is-wide", novalidate: true },
    plansLine(exercises, plan),
    el(
      "p",
      {},
      el("label", { for: "room-title" }, "Title"),
      title,
      el("span", { class: "room-hint" }, "Participants see it, for example “Thursday, group 2”."),
    ),
    choice.root,
    el(
      "p",
      {},
      el("label", { for: "room-deadline" }, "Deadline, if there is one"),
      deadline,
      el("span", { class: "room-hint" }, "You can also set it later."),
    ),
    el(
      "p",
      { class: "room-option" },
      el("label", {}, seesCode, " See the code of each participant's last check"),
      el(
        "span",
        { class: "room-hint", id: "room-sees-code" },
        "You can read the code while they work, and project it without the name. Participants are told so. " +
          "You cannot change this later.",
      ),
    ),
    problem,
    el("p", {}, submit),
  );
  const refused = ({ status, message }: { status: number; message: string }) => {
    if (status === 401 || status === 403)
      onWrongToken("The server does not accept this token. Compare it with the file instructor.token.");
    else problem.textContent = sentence(message);
  };
  let busy = false;
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    if (busy) return;
    const chosen = inPlanOrder(choice.chosen(), plan);
    const at = new Date(deadline.value).getTime();
    problem.textContent =
      title.value.trim() === "" ? "Type a title." : chosen.length === 0 ? "Choose at least one exercise." : "";
    if (problem.textContent !== "") return;
    busy = true;
    const room = {
      title: title.value,
      exercises: chosen,
      ...(Number.isFinite(at) ? { deadline: new Date(at).toISOString() } : {}),
      ...(seesCode.checked ? { seesCode: true } : {}),
    };
    void api.create(room).then((answer) => {
      busy = false;
      if (answer.kind === "ok") return onRoom(answer.value);
      if (answer.kind === "unreachable") problem.textContent = "The server does not answer, or it has no rooms.";
      else refused(answer);
    });
  });
  return el(
    "div",
    {},
    known({ api, onRoom, refused, missing: () => form.replaceWith(problem) }),
    form,
    el("p", { class: "room-forget" }, button("ots-button is-quiet", onForget, "Forget the token in this tab")),
  );
}

interface KnownOptions extends Pick<OpenFormOptions, "api" | "onRoom"> {
  /** Called with the server's reason if it does not list its rooms. */
  refused: (answer: { status: number; message: string }) => void;
  /** Called if the server has no rooms, nor opens any. */
  missing: () => void;
}

/** Lists the rooms of the server, and takes the code of one. */
function known({ api, onRoom, refused, missing }: KnownOptions): HTMLElement {
  const code = el("input", {
    class: "room-code-field",
    "aria-label": "Code of a room",
    maxlength: 12,
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
  });
  const problem = el("span", { class: "room-problem", role: "alert" });
  const form = el(
    "form",
    { class: "room-controls" },
    code,
    el("button", { class: "ots-button", type: "submit" }, "Show this room"),
    problem,
  );
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const typed = normalized(code.value);
    if (isCode(typed)) onRoom(typed);
    else problem.textContent = "A code has six letters and digits.";
  });
  const list = el("ul", { hidden: true });
  const details = el("details", { class: "room-known" }, el("summary", {}, "Rooms of this server"), list, form);
  void api.list().then((answer) => {
    if (answer.kind === "refused") {
      refused(answer);
      if (answer.status === 404) {
        details.remove();
        missing();
      }
    }
    // Without the list, a room can still be shown by its code. Opening a room says why the server does not answer.
    if (answer.kind !== "ok" || answer.value.length === 0) return;
    list.replaceChildren(...answer.value.map(line));
    list.hidden = false;
    details.open = true;
  });
  return details;
}

const line = ({ room, title, participants, ended }: ListedRoom): HTMLElement =>
  el(
    "li",
    {},
    el("a", { href: `#${room}` }, el("bdi", {}, title)),
    " ",
    el("span", { class: "room-code" }, room),
    el("span", { class: "room-hint" }, ` ${plural(participants, "participant")}${ended ? ", ended" : ""}`),
  );
