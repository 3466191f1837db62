// Shows the source code of a submission, read-only.

import { colorCode } from "../color-code.ts";
import { el } from "../dom.ts";
import type { Files } from "../files.ts";
import type { RoomAPI } from "./api.ts";
import { sentence } from "./words.ts";

/** Returns a disclosure that fetches a submission when it is first opened. */
export function submittedCode(api: RoomAPI, room: string, id: string, label: string): HTMLElement {
  const content = el("div", { class: "room-code-files" });
  const root = el("details", { class: "room-submitted" }, el("summary", {}, label), content);
  let asked = false;
  root.addEventListener("toggle", () => {
    if (!root.open || asked) return;
    asked = true;
    content.replaceChildren(el("p", {}, "Fetching…"));
    void api.submission(room, id).then((answer) => {
      if (answer.kind === "ok") return content.replaceChildren(...sources(answer.value.files));
      asked = false; // closing and opening it asks again
      const why = answer.kind === "refused" ? sentence(answer.message) : "The server does not answer.";
      content.replaceChildren(el("p", { class: "room-problem" }, why));
    });
  });
  return root;
}

/** Returns files of Go, each with its name. */
export function sources(files: Files): HTMLElement[] {
  return Object.entries(files).map(([name, text]) => {
    const code = el("code", { class: "language-go" }, text);
    colorCode(code);
    return el("figure", {}, el("figcaption", {}, name), el("pre", { tabindex: 0, "aria-label": name }, code));
  });
}
