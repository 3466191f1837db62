// The index of recipes on the site: it finds recipes by what one writes, shows the figures of a release, and can be
// read without scripts and on a phone.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { faintTexts } from "../browser/contrast.ts";
import { type History, readHistory } from "./measured-history.ts";
import { Site } from "./site.ts";

describe("the recipes", () => {
  let site: Site;
  let page: Page;
  let measured: History;

  before(async () => {
    measured = await readHistory();
    site = await Site.start();
    page = await site.open(await site.browser.newContext({ viewport: { width: 1440, height: 1000 } }));
  });
  after(() => site?.stop());

  const address = (query = "") => `${site.runner.url}/recipes/${query}`;
  const inSight = (page: Page) =>
    page.locator(".recipe h2").evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.textContent));
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

  test("each recipe leads to its page, which has the same title", async () => {
    await page.goto(address());
    const links = await page
      .locator(".recipe h2 a")
      .evaluateAll((all) => all.map((e) => [(e as HTMLAnchorElement).href, e.textContent!]));
    assert.ok(links.length >= 12, `${links.length} recipes`);
    for (const [href, title] of links) {
      const reply = await fetch(href!);
      assert.equal(reply.status, 200, href);
      assert.ok((await reply.text()).includes(`>${title}</a></h1>`), `${href} is not titled ${title}`);
    }
  });

  test("a word, several words and a line of code find their recipes", async () => {
    await page.goto(address());
    const all = await inSight(page);
    for (const [query, want] of [
      ["m[string(b)]++", "Count by a key of bytes"],
      ["iter.seq tree", "Iterate over a tree"],
      ['\tkey := fmt.Sprintf("%s/%d", room, sensor)', "Use a struct as a map key"],
      ["defer mu.Unlock()", "Keep defer out of a loop"],
    ] as const) {
      await page.fill("input[type=search]", query);
      const found = await inSight(page);
      assert.ok(found.includes(want), `${query}: ${found.join(", ")}`);
      assert.ok(found.length < all.length, `${query} finds everything`);
      assert.equal(await page.locator("output").textContent(), `${found.length} of ${all.length} recipes`);
    }
    // The address keeps the search.
    await page.reload();
    assert.deepEqual(await inSight(page), ["Keep defer out of a loop"]);

    await page.fill("input[type=search]", "nobody writes this");
    assert.deepEqual(await inSight(page), []);
    await page.click(".nothing button");
    assert.deepEqual(await inSight(page), all);
  });

  test("the figures were measured on the chosen release", async () => {
    const [listing, before, after] = ["everyday-go/listings/composite-key", "BenchmarkSprintf", "BenchmarkStruct"];
    for (const release of ["1.8", "1.26"]) {
      await page.goto(address(`?q=struct+key&go=${release}`));
      const recipe = page.locator(".recipe", { hasText: "Use a struct as a map key" });
      const allocs = (name: string) =>
        measured.listings[listing]![`go${release}`]!.benchmarks.find((b) => b.name === name)!.allocs_per_op;
      assert.equal(Number(await recipe.locator(".from").textContent()), allocs(before));
      assert.equal(Number(await recipe.locator(".to").textContent()), allocs(after));
      assert.equal(await recipe.locator(".release").textContent(), release);
    }
    // A release that cannot build the program has no figure.
    await page.goto(address("?q=iter.seq&go=1.8"));
    assert.equal(await page.locator(".recipe:visible .from").first().textContent(), "–");
  });

  test("without scripts it shows everything", async () => {
    const plain = await site.open(await site.browser.newContext({ javaScriptEnabled: false }));
    await plain.goto(address());
    assert.ok((await inSight(plain)).length >= 12);
    assert.equal(await plain.locator("form.narrow").isVisible(), false);
    assert.match((await plain.locator(".recipe .cost").first().textContent())!, /\d.*allocs\/op, Go 1\.\d+/s);
  });

  test("on a phone and in the dark it is in sight and readable", async () => {
    await page.goto(address());
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await fits(page), `wider than ${width}px`);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const { faint, seen } = await faintTexts(page, "main");
        assert.ok(seen > 40, `${seen} texts`);
        assert.deepEqual(faint, []);
      }
    }
  });

  test("no page had an error", () => assert.deepEqual(site.errors, []));
});
