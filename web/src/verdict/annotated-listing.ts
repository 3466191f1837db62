// The annotated listing of a verdict in the text of the book: <div class="ots-verdict">.

import { blockData, el } from "../dom.ts";
import { readVerdict } from "../responses.ts";
import { verdictView } from "./view.ts";

/** Replaces the static text with the annotated listing. Reports whether the block has the data for it. */
export function upgradeVerdict(block: HTMLElement): boolean {
  const verdict = readVerdict(blockData(block));
  if (!verdict) return false;
  for (const child of block.children) child.classList.add("ots-static");
  const what = verdict.exercise ? `Verdict on ${verdict.exercise}` : `What ${verdict.title} allocates`;
  block.append(el("figure", { class: "ots-picture", "aria-label": what }, verdictView(verdict, { code: true })));
  block.classList.add("ots-upgraded");
  return true;
}
