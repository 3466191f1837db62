// The built book keeps the answers of its predictions until they are asked for: on the pages, and in the search.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import vm from "node:vm";
import { pagesOf } from "./workbook.ts";

const root = process.env["OTS_ROOT"]!;
const book = join(root, "public/book");

/** A prediction that a page asks for. */
interface Prediction {
  page: string;
  /** Where it begins in the page. */
  at: number;
  asksBytes: boolean;
  allocs: number;
  bytes: number;
}

const PREDICTION = /<div class="ots-predict[^>]*>\s*<script type="application\/json" class="ots-data">(.*?)<\/script>/g;
const FOLDED = /<details\b[^]*?<\/details>|<span class="ots-folded"[^>]*>[^]*?<\/span><\/span>/g;
const textOf = (html: string) =>
  html
    .replaceAll(/<(script|style)\b[^]*?<\/\1>/g, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
/** Without blanks, which stand around an element in one text and not in another. */
const squeezed = (text: string) => text.replaceAll(/\s/g, "");

describe("the answers of the built book", () => {
  const pages = new Map<string, string>();
  const predictions: Prediction[] = [];
  before(async () => {
    for (const page of await pagesOf(root)) {
      const html = await readFile(join(book, page), "utf8");
      pages.set(page, html);
      for (const { 1: data, index } of html.matchAll(PREDICTION)) {
        const { asks_bytes, now } = JSON.parse(data!) as { asks_bytes: boolean; now: Record<string, number> };
        predictions.push({
          page,
          at: index,
          asksBytes: asks_bytes,
          allocs: now["allocs_per_op"]!,
          bytes: now["bytes_per_op"]!,
        });
      }
    }
  });

  test("no figure and no list of steps gives one away before its question", () => {
    assert.ok(predictions.length > 40, `there are ${predictions.length} predictions`);
    const given = predictions.filter(({ page, at, asksBytes, bytes }) => {
      if (!asksBytes || bytes === 0) return false;
      const chapter = page.split("/")[0];
      const names = [...pages.keys()];
      const earlier = names.slice(0, names.indexOf(page)).filter((name) => name.split("/")[0] === chapter);
      const steps = [...earlier.map((name) => pages.get(name)!), pages.get(page)!.slice(0, at)]
        .flatMap((html) => [...html.matchAll(/<div class="ots-program ots-stepped[^]*?<\/ol>/g)])
        .map(([html]) => html);
      // The size of an object, a line or a step, but not of a variable in a frame, which is not shown.
      const size = new RegExp(`\\b${bytes} B\\b|"bytes":${bytes},"(?:count|reason|output)"`);
      return steps.some((html) => size.test(html));
    });
    assert.deepEqual(given, []);
  });

  test("lists of steps are folded", () => {
    const lists = [...pages].flatMap(([page, html]) =>
      [...html.matchAll(/<div class="ots-program ots-stepped[^]*?<ol>/g)].map(([before]) => [page, before] as const),
    );
    assert.ok(lists.length >= 6, `there are ${lists.length} lists`);
    for (const [page, before] of lists) assert.match(before, /<details><summary>The steps in words<\/summary>\s*<ol>$/, page);
  });

  test("the search shows nothing that the pages fold", async () => {
    const name = (await readdir(book)).find((name) => /^searchindex-\w+\.js$/.test(name))!;
    const context = vm.createContext({ window: { search: {} } });
    vm.runInContext(await readFile(join(book, name), "utf8"), context);
    const { doc_urls, index } = context["window"].search as {
      doc_urls: string[];
      index: { documentStore: { docs: Record<string, { body: string }> } };
    };
    const bodies = new Map<string, string>();
    for (const [ref, { body }] of Object.entries(index.documentStore.docs)) {
      const page = doc_urls[Number(ref)]!.split("#")[0]!;
      bodies.set(page, `${bodies.get(page) ?? ""} ${body.replaceAll(/\s+/g, " ")}`);
    }
    const shown: string[] = [];
    let folded = 0;
    for (const [page, html] of pages) {
      const main = /<main>([^]*?)<\/main>/.exec(html)![1]!;
      const seen = textOf(main.replaceAll(FOLDED, " "));
      for (const [part] of main.matchAll(FOLDED)) {
        const words = textOf(part);
        // A figure alone, such as "2", is also in the text for other reasons.
        if (words.length < 12 || squeezed(seen).includes(squeezed(words))) continue;
        folded++;
        if (squeezed(bodies.get(page) ?? "").includes(squeezed(words))) shown.push(`${page}: ${words.slice(0, 60)}`);
      }
      if (seen.length > 200) assert.ok((bodies.get(page)?.length ?? 0) > seen.length / 2, `${page} is hardly in the search`);
      assert.doesNotMatch(bodies.get(page) ?? "", /Hint 1 |Show the figures|Then open\./, page);
    }
    assert.ok(folded > 100, `only ${folded} folded parts were looked for`);
    assert.deepEqual(shown, []);
  });
});
