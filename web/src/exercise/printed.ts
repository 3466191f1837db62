// On paper, the listing of an exercise has the reader's own code: an editor draws only the lines in view.

import { colorCode } from "../color-code.ts";
import { el } from "../dom.ts";
import type { Files } from "../files.ts";

/** Puts the reader's files into the listings of a block, which have the starter, as long as the page is printed. */
export function printOwn(block: HTMLElement, starter: Files, files: () => Files): void {
  let restore: (() => void)[] = [];
  addEventListener("beforeprint", () => {
    for (const [file, text] of Object.entries(files())) {
      const caption = [...block.querySelectorAll(":scope > .ots-caption")].find((c) => isOf(c, file));
      const code = caption?.nextElementSibling?.querySelector("code");
      if (!caption || !code || text === starter[file]) continue;
      const before = [...code.childNodes];
      const note = el("span", {}, ", with your changes");
      code.textContent = text;
      colorCode(code);
      caption.append(note);
      restore.push(() => {
        code.replaceChildren(...before);
        note.remove();
      });
    }
  });
  addEventListener("afterprint", () => {
    for (const back of restore) back();
    restore = [];
  });
}

const isOf = (caption: Element, file: string) => caption.textContent?.split("/").at(-1)?.trim() === file;
