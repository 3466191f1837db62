// The Content-Security-Policy that every page contains, on a host that sends none.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, describe, test } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { none } from "./faults.ts";
import { oneOfEach, pagesIn, type SitePage } from "./kinds.ts";
import { editorIn, PATH, searchBook, tree } from "./site-below.ts";
import { StaticHost } from "../static-host.ts";

const POLICY = /<meta charset="?utf-8"?><meta http-equiv="Content-Security-Policy" content="([^"]*)">/i;

describe("the pages' policy", () => {
  let browser: Browser;
  let host: StaticHost;
  let context: BrowserContext;
  let pages: SitePage[];
  let faults: string[];

  before(async () => {
    browser = await launchChromium();
    host = await StaticHost.start(tree, PATH);
    pages = await pagesIn(tree);
    context = await browser.newContext({ reducedMotion: "reduce", viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(120_000);
    // The browser reports here what it has blocked, also in a page's frames.
    context.on("console", (message) => {
      if (/Content Security Policy/i.test(message.text())) faults.push(`${message.page()?.url()}: ${message.text()}`);
    });
    await context.addInitScript(() => {
      window.print = () => {};
    });
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  const open = async ({ path }: { path: string }): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(host.url + path);
    return page;
  };

  test("is in every page, right after the charset, and allows only the site's scripts", async () => {
    faults = [];
    for (const { path } of [...pages, { path: "book/toc.html" }]) {
      const file = path === "no/such/page" ? "404.html" : path.replace(/(^|\/)$/, "$1index.html");
      const policy = POLICY.exec(await readFile(join(tree, file), "utf8"))?.[1] ?? "";
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? "'unsafe-inline'";
      if (/'unsafe-(inline|eval)'|https?:|\*/.test(scripts) || !policy.startsWith("default-src 'self'; "))
        faults.push(`${path}: ${policy}`);
    }
    none(faults);
  });

  test("blocks nothing on a page of each kind", async () => {
    faults = [];
    for (const at of oneOfEach(pages)) {
      const page = await open(at);
      await editorIn(page);
      await page.waitForLoadState("networkidle");
      await page.close();
    }
    none(faults);
  });

  test("blocks nothing of the book's search, theme menu and contents, nor of the slides", async () => {
    faults = [];
    const page = await open({ path: "book/memory-profiling/program.html" });
    await page.locator("#mdbook-theme-toggle").click();
    await page.locator("#mdbook-theme-navy").first().click();
    await page.locator("html.navy").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#mdbook-sidebar .chapter a").first().waitFor({ state: "attached" });
    await searchBook(page, "escape");
    await page.reload();
    await page.locator("html.navy").waitFor();
    await page.goto(`${host.url}instructors/slides/`);
    const shown = () =>
      page.evaluate(
        () =>
          location.hash +
          scrollY +
          document.querySelector("[aria-current], .is-current, :target")?.textContent?.slice(0, 40),
      );
    const before = await shown();
    await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(200);
    assert.notEqual(await shown(), before, "a key turns the slides");
    await page.close();
    none(faults);
  });

  test("blocks everything that is not the site's", async () => {
    faults = [];
    const page = await open({ path: "" });
    const ran = await page.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "document.title = 'mine'";
      document.body.append(script);
      const button = document.createElement("button");
      button.setAttribute("onclick", "document.title = 'mine'");
      button.click();
      const fetched = await fetch("http://elsewhere.invalid/").then(
        () => "",
        (e) => String(e),
      );
      return [document.title, fetched];
    });
    assert.ok(!ran[0]!.includes("mine"));
    for (const what of [
      "Executing inline script",
      "Executing inline event handler",
      "Connecting to 'http://elsewhere.invalid/'",
    ]) {
      assert.ok(
        faults.some((fault) => fault.includes(what)),
        `${what} is not among ${faults.join("\n")}`,
      );
    }
    await page.close();
  });

  test("allows the script of the sandbox frame, and no other", async () => {
    const tool = (await import(pathToFileURL(join(root, "web/build.mjs")).href)) as {
      sandboxFrameScript: () => Promise<{ script: string; hash: string }>;
    };
    const { script, hash } = await tool.sandboxFrameScript();
    const page = await open({ path: "play/" });
    const frame = (script: string) =>
      page.evaluate(
        async ([script, hash]) => {
          const frame = document.createElement("iframe");
          frame.setAttribute("sandbox", "allow-scripts");
          const policy = `default-src 'none'; script-src '${hash}' 'wasm-unsafe-eval'; worker-src blob:`;
          frame.srcdoc =
            `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
            `<script>${script}</script>`;
          const loaded = new Promise((resolve) => (frame.onload = resolve));
          document.body.append(frame);
          await loaded;
          await new Promise((resolve) => setTimeout(resolve, 200));
          frame.remove();
        },
        [script, hash] as const,
      );
    faults = [];
    await frame(script);
    none(faults);
    await frame(`${script};`);
    assert.equal(faults.length > 0, true, "another script runs");
    await page.close();
  });

  test("a page with scripts that it would block is not built", async () => {
    const folder = await mkdtemp(join(tmpdir(), "onthestack-policy-"));
    try {
      const built = async (page: string) => {
        await writeFile(join(folder, "page.html"), page);
        const { status, stderr } = spawnSync(process.execPath, [join(root, "web/policy.mjs"), folder], {
          encoding: "utf8",
        });
        return { status, stderr };
      };
      for (const [page, words] of [
        ['<meta charset="utf-8"><p onclick="x()">', /would stop <p onclick/],
        ['<meta charset="utf-8"><p class=a onmouseover=x()>', /would stop/],
        ['<meta charset="utf-8"><a href="javascript:x()">', /would stop/],
        ["<p>", /has no <meta charset/],
      ] as const) {
        const { status, stderr } = await built(page);
        assert.equal(status, 1, page);
        assert.match(stderr, words);
      }
      const { status, stderr } = await built(
        '<meta charset="utf-8"><p title="an onclick=x handler"><script type="application/json">' +
          '{"a":"<p onclick=x>"}</script><script>1</script>',
      );
      assert.equal(status, 0, stderr);
      const page = await readFile(join(folder, "page.html"), "utf8");
      // The output of openssl dgst -sha256 -binary for "1".
      assert.match(page, /'sha256-a4ayc\/80\/OGda4BO\/1o\/V0etpOqiLx1JwB5S3beHW0s='/);
      assert.equal(page.match(/'sha256-/g)!.length, 2, "the script and the sandbox frame, and no data");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
