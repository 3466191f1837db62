// The list of examples, collapsed at first: examples of the editor, and of the book, which are fetched when the list
// is opened.
import { button, el } from "../dom.ts";
import { Programs, type Example } from "../go/play.ts";
import { readList } from "../json.ts";
import { siteRoot } from "../site-root.ts";
import { EXAMPLES } from "./examples.ts";

/** Returns the list. choose is called with the example that the reader selects. */
export function exampleMenu(choose: (example: Example) => void): HTMLElement {
  const summary = el("summary", { class: "ots-button is-quiet" }, "Examples");
  const list = el("div", { class: "ots-examples-list" });
  const menu = el("details", { class: "ots-examples" }, summary, list);
  const close = () => (menu.open = false);
  const add = (title: string, examples: readonly Example[]) =>
    list.append(
      el("p", { class: "ots-examples-of" }, title),
      el(
        "ul",
        {},
        ...examples.map((example) =>
          el(
            "li",
            {},
            button(
              "ots-example",
              () => {
                close();
                choose(example);
              },
              example.title,
            ),
          ),
        ),
      ),
    );
  add("To begin with", EXAMPLES);
  let asked = false;
  menu.addEventListener("toggle", async () => {
    if (!menu.open || asked) return;
    asked = true;
    const chapters = await fetchChapters();
    for (const { chapter, programs } of chapters ?? []) add(chapter, programs);
    // After a failure, try again when the list is opened again.
    asked = chapters !== null;
    list.querySelector(".is-problem")?.remove();
    if (!chapters)
      list.append(el("p", { class: "ots-examples-of is-problem" }, "The book's programs could not be fetched."));
  });
  menu.addEventListener("keydown", (e) => {
    if (e.key !== "Escape" || !menu.open) return;
    close();
    summary.focus();
  });
  // Close the list when the reader clicks elsewhere or the focus leaves it.
  for (const event of ["pointerdown", "focusin"]) {
    document.addEventListener(event, (e) => {
      if (!menu.contains(e.target as Node)) close();
    });
  }
  return menu;
}

/** Fetches the book's programs that tools/bookalloc wrote; null if they cannot be fetched. */
async function fetchChapters(): Promise<Programs[] | null> {
  try {
    const reply = await fetch(`${siteRoot()}play/examples.json`);
    return reply.ok ? readList(Programs, await reply.json()) : null;
  } catch {
    return null;
  }
}
