// Shows the source code of a submission, read-only.

import { colorCode } from "../color-code.ts";
import { el } from "../dom.ts";
import type { Files } from "../files.ts";
import type { RoomAPI } from "./api.ts";
import { refusalWords } from "./words.ts";

/**
 * Returns a disclosure that fetches a submission when it is first opened. If an exercise is named, it has a link that
 * opens the code in the exercise's editor, beside the reader's own.
 */
export function submittedCode(api: RoomAPI, room: string, id: string, label: string, exercise = ""): HTMLElement {
  const content = el("div", { class: "room-code-files" });
  const root = el("details", { class: "room-submitted" }, el("summary", {}, label), content);
  let asked = false;
  root.addEventListener("toggle", () => {
    if (!root.open || asked) return;
    asked = true;
    content.replaceChildren(el("p", {}, "Fetching…"));
    void api.submission(room, id).then((answer) => {
      if (answer.kind === "ok") {
        content.replaceChildren(...sources(answer.value.files));
        if (exercise !== "") void editorLink(exercise, answer.value.files).then((link) => content.append(link));
        return;
      }
      asked = false; // closing and opening it asks again
      content.replaceChildren(el("p", { class: "room-problem" }, refusalWords(answer)));
    });
  });
  return root;
}

/** Resolves to a link that opens the files in an editor, or to why there is none. */
async function editorLink(exercise: string, files: Files): Promise<HTMLElement> {
  try {
    const { attemptLink } = await import("../exercise/attempt.ts");
    return el("p", {}, el("a", { href: await attemptLink(exercise, files) }, "Open it in the editor"));
  } catch {
    return el("p", { class: "room-hint" }, "This code is too long for a link that opens it in the editor.");
  }
}

/** Returns files of Go, each with its name. */
export function sources(files: Files): HTMLElement[] {
  return Object.entries(files).map(([name, text]) => {
    const code = el("code", { class: "language-go" }, text);
    colorCode(code);
    return el("figure", {}, el("figcaption", {}, name), el("pre", { tabindex: 0, "aria-label": name }, code));
  });
}
