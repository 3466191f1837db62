// The list of examples, collapsed at first: the editor's own examples and those of the book, which are fetched when it is opened.

import { button, el } from "../dom.ts";
import { siteRoot } from "../site-root.ts";
import { isFields } from "../verdict/schema.ts";
import { EXAMPLES, type Example } from "./examples.ts";

/** The programs of a chapter, each with the title of the page that shows it. */
interface Chapter {
  title: string;
  programs: Example[];
}

export function exampleMenu(choose: (example: Example) => void): HTMLElement {
  const summary = el("summary", { class: "ots-button is-quiet" }, "Examples");
  const list = el("div", { class: "ots-examples-list" });
  const menu = el("details", { class: "ots-examples" }, summary, list);
  const close = () => (menu.open = false);
  const add = (title: string, examples: readonly Example[]) =>
    list.append(
      el("p", { class: "ots-examples-of" }, title),
      el("ul", {}, ...examples.map((example) =>
        el("li", {}, button("ots-example", () => {
          close();
          choose(example);
        }, example.title)),
      )),
    );
  add("To begin with", EXAMPLES);
  let asked = false;
  menu.addEventListener("toggle", async () => {
    if (!menu.open || asked) return;
    asked = true;
    const chapters = await fetchChapters();
    for (const { title, programs } of chapters ?? []) add(title, programs);
    // After a failure, try again when the list is opened again.
    asked = chapters !== null;
    list.querySelector(".is-problem")?.remove();
    if (!chapters) list.append(el("p", { class: "ots-examples-of is-problem" }, "The book's programs could not be fetched."));
  });
  menu.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !menu.open) return;
    close();
    summary.focus();
  });
  // Another place was pointed at, or the focus went on.
  for (const event of ["pointerdown", "focusin"]) {
    document.addEventListener(event, (e) => {
      if (!menu.contains(e.target as Node)) close();
    });
  }
  return menu;
}

/** Fetches the book's programs that tools/bookalloc wrote; null if they cannot be fetched. */
async function fetchChapters(): Promise<Chapter[] | null> {
  try {
    const reply = await fetch(`${siteRoot()}play/examples.json`);
    const json: unknown = reply.ok ? await reply.json() : null;
    if (!Array.isArray(json)) return null;
    return json.filter(isFields).map(({ chapter, programs }) => ({ title: String(chapter), programs: Array.isArray(programs) ? programs.flatMap(readProgram) : [] }));
  } catch {
    return null;
  }
}

function readProgram(json: unknown): Example[] {
  if (!isFields(json) || typeof json["title"] !== "string" || typeof json["text"] !== "string") return [];
  return [{ title: json["title"], text: json["text"] }];
}
