// The allocation history on the site: its figures are those measured, and it can be read without scripts, on a phone,
// and as a table.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { faintTexts } from "../browser/contrast.ts";
import { type History, readHistory } from "./measured-history.ts";
import { Site } from "./site.ts";

/**
 * One listing of each kind: with one benchmark, with many, with figures of an article, not on the first releases, with
 * a large number.
 */
const LISTINGS = [
  "memory-profiling/methods",
  "sorting-and-size-classes/boxing",
  "buffer-bootstrap/buffer",
  "interpolation/builder",
  "heap-optimization/hot-pointer",
];

describe("the allocation history", () => {
  let site: Site;
  let page: Page;
  let measured: History;
  let releases: string[];

  before(async () => {
    measured = await readHistory();
    releases = Object.keys(measured.releases);
    site = await Site.start();
    page = await site.open(await site.browser.newContext({ viewport: { width: 1440, height: 1000 } }));
  });
  after(() => site?.stop());

  const address = (path = "") => `${site.runner.url}/history/${path}`;
  const listing = (path: string) => measured.listings[path.replace("/", "/listings/")]!;
  const pathOf = (name: string) => name.replace("/listings/", "/");
  /** The names of a listing's benchmarks on the newest release. */
  const benchmarks = (path: string) =>
    Object.values(listing(path))
      .at(-1)!
      .benchmarks.map((b) => b.name);
  const figure = (path: string, release: string, benchmark: string) =>
    listing(path)[release]?.benchmarks.find((b) => b.name === benchmark);
  /** B/op are written as whole numbers unless two figures would look the same. */
  const isBytes = (text: string, bytes: number) =>
    assert.ok(Math.abs(Number(text) - bytes) <= 0.5, `${text} B/op; measured ${bytes}`);
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  /** The chapters that have visible rows. */
  const inSight = (page: Page) =>
    page.locator(".grid tbody").evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.id));
  const rowsInSight = (page: Page) =>
    page
      .locator(".grid th[scope=row] a")
      .evaluateAll((all) => [...new Set(all.filter((e) => e.checkVisibility()).map((e) => e.getAttribute("href")))]);

  test("the grid has every figure, under its release", async () => {
    await page.goto(address());
    const { head, rows } = await page.locator(".grid table").evaluate((table) => ({
      head: [...table.querySelectorAll("thead th")].map((e) => e.textContent),
      rows: [...table.querySelectorAll("tbody tr:not(.chapter)")].map((row) => ({
        path: row.querySelector("th[scope=row] a")!.getAttribute("href")!.replace(/\/$/, ""),
        chapter: row.closest("tbody")!.id,
        cells: [...row.querySelectorAll("td")].map((e) => ({
          text: e.firstChild!.textContent!,
          title: e.title,
          className: e.className,
        })),
      })),
    }));
    assert.deepEqual(head, ["Listing", ...releases.map((r) => r.replace("go", ""))]);
    assert.deepEqual(new Set(rows.map((r) => r.path)), new Set(Object.keys(measured.listings).map(pathOf)));

    const place = new Map<string, number>();
    for (const row of rows) {
      const at = place.get(row.path) ?? 0;
      place.set(row.path, at + 1);
      const benchmark = benchmarks(row.path)[at]!;
      assert.equal(row.chapter, row.path.split("/")[0]);
      assert.equal(row.cells.length, releases.length);
      releases.forEach((release, i) => {
        const want = figure(row.path, release, benchmark);
        const cell = row.cells[i]!;
        const where = `${row.path} ${benchmark} ${release}`;
        if (!want) return assert.equal(cell.text, "–", where);
        assert.equal(Number(cell.text), want.allocs_per_op, where);
        const said = /^Go (\S+): (\S+) (allocs?)\/op, (\S+) B\/op$/.exec(cell.title);
        assert.ok(said, `${where}: ${cell.title}`);
        assert.equal(`go${said[1]}`, measured.releases[release]);
        assert.equal(Number(said[2]), want.allocs_per_op, where);
        assert.equal(said[3], want.allocs_per_op === 1 ? "alloc" : "allocs", where);
        isBytes(said[4]!, want.bytes_per_op);
        const before = i > 0 ? figure(row.path, releases[i - 1]!, benchmark) : undefined;
        const change = !before
          ? ""
          : before.allocs_per_op !== want.allocs_per_op
            ? "changed"
            : before.bytes_per_op !== want.bytes_per_op
              ? "bytes"
              : "";
        assert.equal(/changed|bytes/.exec(cell.className)?.[0] ?? "", change, where);
      });
    }
    for (const [path, n] of place) assert.equal(n, benchmarks(path).length, path);
  });

  test("each listing's charts and tables have every figure", async () => {
    await page.goto(address());
    let rings = 0;
    for (const name of Object.keys(measured.listings)) {
      const path = pathOf(name);
      const charts = await page.evaluate(async (href) => {
        const reply = await fetch(href);
        if (!reply.ok) throw new Error(`${reply.status} ${href}`);
        const there = new DOMParser().parseFromString(await reply.text(), "text/html");
        return [...there.querySelectorAll("figure.chart")].map((chart) => ({
          label: chart.querySelector("svg[role=img]")!.getAttribute("aria-label")!,
          table: [...chart.querySelectorAll("svg ~ details table tbody tr")].map((row) =>
            [...row.children].map((e) => e.textContent!),
          ),
          steps: [...chart.querySelectorAll("svg g.allocs line.step")]
            .map(
              (e) =>
                ["x1", "x2", "y1", "y2"].map((a) => parseFloat(e.getAttribute(a)!)) as [number, number, number, number],
            )
            .filter(([, , y1, y2]) => y1 === y2)
            .map(([x1, x2, y]) => ({ x1, x2, y })),
          base: Number(chart.querySelector("g.allocs .base")!.getAttribute("y1")),
          rings: [...chart.querySelectorAll("svg circle.article.allocs")].map((e) => ({
            x: parseFloat(e.getAttribute("cx")!),
            y: Number(e.getAttribute("cy")),
          })),
        }));
      }, `${path}/`);
      assert.equal(charts.length, benchmarks(path).length, path);

      // The highest step is known, and the others are in proportion to it.
      const values = Object.values(listing(path)).flatMap((m) => m.benchmarks.map((b) => b.allocs_per_op));
      const most = Math.max(...values);
      const highest = Math.max(...charts.flatMap((c) => c.steps.map((s) => c.base - s.y)));
      benchmarks(path).forEach((benchmark, i) => {
        const chart = charts[i]!;
        const known = releases.filter((r) => figure(path, r, benchmark));
        assert.deepEqual(
          chart.table.map((row) => row.slice(0, 2)),
          known.map((r) => [r.replace("go", "Go "), measured.releases[r]]),
          path,
        );
        known.forEach((release, j) => {
          const want = figure(path, release, benchmark)!;
          const [, , allocs, bytes] = chart.table[j]!;
          assert.equal(Number(allocs), want.allocs_per_op, `${path} ${benchmark} ${release}`);
          isBytes(bytes!, want.bytes_per_op);
          const middle = (100 * (releases.indexOf(release) + 0.5)) / releases.length;
          const step = chart.steps.filter((s) => s.x1 < middle && middle < s.x2);
          assert.equal(step.length, 1, `${path} ${benchmark} ${release}: one step is drawn`);
          const drawn = highest === 0 ? 0 : ((chart.base - step[0]!.y) / highest) * most;
          assert.ok(
            Math.abs(drawn - want.allocs_per_op) <= most / 200,
            `${path} ${benchmark} ${release}: ${drawn} is drawn`,
          );
        });
        const articles = [...chart.label.matchAll(/The article, on Go (\S+): (\S+) allocs?\/op/g)];
        assert.equal(chart.rings.length, articles.length, path);
        articles.forEach(([, number, allocs], j) => {
          const { x, y } = chart.rings[j]!;
          assert.ok(
            Math.abs(x - (100 * (releases.indexOf(`go${number}`) + 0.5)) / releases.length) < 0.01,
            `${path}: the article's release`,
          );
          assert.ok(
            Math.abs(((chart.base - y) / highest) * most - Number(allocs)) <= most / 100,
            `${path}: the article's figure`,
          );
        });
        rings += articles.length;
        assert.match(chart.label, /allocs\/op: \d.*(on every release|since Go |on Go ).*B\/op: \d/, path);
        assert.ok(
          chart.label.includes(`allocs/op: ${figure(path, known[0]!, benchmark)!.allocs_per_op} `),
          chart.label,
        );
      });
    }
    assert.ok(rings > 0, "the articles' figures are marked");
  });

  test("a chart's label tells the story, and the page its reasons", async () => {
    await page.goto(address("heap-optimization/reading-new/"));
    const figures = releases.map((r) => figure("heap-optimization/reading-new", r, "BenchmarkTenths")!.allocs_per_op);
    const since = figures.lastIndexOf(1) + 1;
    const number = (i: number) => releases[i]!.replace("go", "");
    const chart = page.getByRole("img", {
      name: `allocs/op: 1 on Go ${number(0)} to ${number(since - 1)}, 0 since Go ${number(since)}.`,
    });
    assert.equal(await chart.count(), 1);
    assert.equal(
      await page
        .locator(".changes dt")
        .allInnerTexts()
        .then((all) => all.join()),
      `Go ${number(since)}`,
    );
    assert.match(await page.locator(".changes dd").innerText(), /1 → 0 allocs\/op/);
    assert.ok(await page.locator(".changes dd a[href^='https://']").count());
    assert.match(await page.locator("figure.source pre").first().innerText(), /^package|func /m);
    assert.equal(await page.locator("details.source[open]").count(), 0, "the benchmark is folded");

    await page
      .getByRole("navigation", { name: "Listings of the chapter" })
      .getByRole("link", { name: /^Next/ })
      .click();
    assert.match(page.url(), /\/history\/heap-optimization\/[a-z-]+\/$/);
    await page
      .getByRole("navigation", { name: "Where this is" })
      .getByRole("link", { name: "Heap optimization" })
      .click();
    await page.waitForFunction(() => {
      const shown = [...document.querySelectorAll(".grid tbody")].filter((e) => e.checkVisibility());
      return shown.map((e) => e.id).join() === "heap-optimization";
    });
  });

  test("without scripts a chapter can be chosen, with its own URL", async () => {
    const context = await site.browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 1440, height: 1000 },
    });
    const page = await site.open(context);
    await page.goto(address());
    const all = await inSight(page);
    assert.ok(all.length > 5, `only ${all.length} chapters`);
    assert.equal(await page.locator(".narrow").isVisible(), false, "what needs a script is not offered");
    const filter = page.getByRole("navigation", { name: "Show one chapter" });
    const ground = (name: RegExp) =>
      filter.getByRole("link", { name }).evaluate((e) => getComputedStyle(e).backgroundColor);
    const free = await ground(/^Interpolation/);
    await filter.getByRole("link", { name: /^Interpolation/ }).click();
    assert.ok(page.url().endsWith("/history/#interpolation"));
    assert.deepEqual(await inSight(page), ["interpolation"]);
    assert.notEqual(await ground(/^Interpolation/), free, "the chosen one is marked");
    await filter.getByRole("link", { name: /^All chapters/ }).click();
    assert.deepEqual(await inSight(page), all);
    await page.goto(address("#what-changed"));
    assert.deepEqual(await inSight(page), ["what-changed"]);
    await page.goto(address("#main"));
    assert.deepEqual(await inSight(page), all, "an address that is no chapter's shows all");
    await context.close();
  });

  test("with scripts the grid can be filtered, and the URL has the filters", async () => {
    await page.goto(address());
    const count = () => page.locator(".narrow output").innerText();
    const n = Object.keys(measured.listings).length;
    assert.equal(await count(), `${n} of ${n} listings`);

    const changedIn = (from: string, to: string) =>
      Object.keys(measured.listings)
        .filter((name) =>
          benchmarks(pathOf(name)).some((b) =>
            releases.some((r, i) => {
              const [now, before] = [
                figure(pathOf(name), r, b),
                i > 0 ? figure(pathOf(name), releases[i - 1]!, b) : undefined,
              ];
              return (
                i > releases.indexOf(from) &&
                i <= releases.indexOf(to) &&
                now &&
                before &&
                (now.allocs_per_op !== before.allocs_per_op || now.bytes_per_op !== before.bytes_per_op)
              );
            }),
          ),
        )
        .map((name) => `${pathOf(name)}/`);
    await page.getByLabel("Only what changed").check();
    assert.deepEqual((await rowsInSight(page)).sort(), changedIn(releases[0]!, releases.at(-1)!).sort());
    await page.getByLabel("From Go").selectOption("1.21");
    await page.getByLabel("To Go").selectOption("1.22");
    const want = changedIn("go1.21", "go1.22");
    assert.ok(want.length > 0 && want.length < n);
    assert.deepEqual((await rowsInSight(page)).sort(), want.sort());
    assert.deepEqual(await page.locator(".grid thead th:visible").allInnerTexts(), ["Listing", "1.21", "1.22"]);
    assert.ok(page.url().endsWith("/history/?from=1.21&to=1.22&changed=1"), page.url());

    await page
      .getByRole("navigation", { name: "Show one chapter" })
      .getByRole("link", { name: /^Interpolation/ })
      .click();
    const here = want.filter((href) => href.startsWith("interpolation/"));
    await page.getByText(`${here.length} of ${n} listings`).waitFor();
    assert.equal(
      await page
        .locator(".filter [aria-current]")
        .innerText()
        .then((t) => t.split("\n")[0]),
      "Interpolation",
    );
    await page.reload();
    assert.deepEqual((await rowsInSight(page)).sort(), here.sort(), "the address restores it");
    assert.equal(await count(), `${here.length} of ${n} listings`);

    await page.getByLabel("Search").fill("no such listing");
    assert.equal(await count(), `0 of ${n} listings`);
    await page.locator(".nothing").getByRole("button", { name: "Show all" }).click();
    await page.getByText(`${n} of ${n} listings`).waitFor();
    assert.equal(new URL(page.url()).search, "");
    await page.getByLabel("Search").fill("SYNC.pool pointers");
    assert.deepEqual((await rowsInSight(page)).sort(), [
      "heap-optimization/pool-pointers/",
      "what-changed/pooled-slice/",
    ]);

    await page.goto(address("?from=1.99&to=x&q=%3Cb%3E"));
    assert.equal(await count(), `0 of ${n} listings`, "an address that somebody bent does no harm");
  });

  test("the head of the grid stays visible", async () => {
    await page.goto(address());
    await page.evaluate(() => scrollTo(0, 2000));
    const box = await page.locator(".grid thead th").nth(5).boundingBox();
    assert.equal(Math.round(box!.y), 0);
  });

  test("the pages fit and can be read, on every width and in both themes", async () => {
    const WIDTHS = [1440, 390, 320];
    const out = () =>
      page
        .locator(".chart text")
        .evaluateAll(
          (all) =>
            all.filter((e) => e.getBoundingClientRect().right > innerWidth || e.getBoundingClientRect().left < 0)
              .length,
        );
    for (const path of ["", ...LISTINGS.map((l) => `${l}/`), "interpolation/parts/"]) {
      await page.setViewportSize({ width: WIDTHS[0]!, height: 850 });
      await page.goto(address(path));
      for (const width of WIDTHS) {
        const where = `${path} at ${width} px`;
        await page.setViewportSize({ width, height: 850 });
        assert.ok(await fits(page), `${where} scrolls sideways`);
        assert.equal(await out(), 0, `${where}: the texts of the charts extend beyond them`);
        // Which texts are shown depends on the width, and the colors on the theme.
        for (const colorScheme of width === 320 ? (["light"] as const) : (["light", "dark"] as const)) {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          const { faint, seen } = await faintTexts(page, "main");
          assert.ok(seen > 20, `${where}: only ${seen} texts`);
          assert.deepEqual(faint, [], `${where}, ${colorScheme}`);
        }
        if (path !== "") continue;
        const right = await page
          .locator(".grid thead th")
          .last()
          .evaluate((e) => e.getBoundingClientRect().right);
        assert.ok(right <= width, "the newest release is in sight");
        const low = await page
          .locator(".grid th[scope=row] a")
          .evaluateAll((all) => Math.min(...all.map((e) => e.getBoundingClientRect().height)));
        assert.ok(low >= 24, `a row's link is ${low} px high`);
      }
    }
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize({ width: 1440, height: 1000 });
  });

  test("nothing went wrong in the pages", () => assert.deepEqual(site.errors, []));
});
