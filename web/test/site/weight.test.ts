// The size of a page's files as the runner sends them.

import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { CDPSession } from "playwright-core";
import { none } from "./faults.ts";
import type { SitePage } from "./kinds.ts";
import { editorIn, SiteBelow, tree } from "./site-below.ts";

/** In bytes, headers included. */
const WITH_EDITOR = 150_000;
/**
 * For a page that runs a program, with the scripts for that but without the editor, which is loaded at the first edit.
 */
const WITH_PROGRAM = 68_000;
const WITHOUT = 60_000;
/** On top of these, for the pictures of a page. */
const PICTURES = 40_000;

describe("weight", () => {
  let site: SiteBelow;
  let heaviest: SitePage[];
  before(async () => {
    site = await SiteBelow.start();
    heaviest = await heaviestOfEach(site.pages.filter(({ kind }) => kind !== "book: all on one page"));
  });
  after(() => site?.stop());

  /** Opens a tab for a reader who has never been here. */
  async function visit() {
    const context = await site.context({ viewport: { width: 1280, height: 900 } });
    // Playwright's routes disable the cache and a part of the timing. Calls of other hosts are tested elsewhere.
    await context.unrouteAll();
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send("Network.enable");
    return { context, page, network };
  }

  function bytesOf(network: CDPSession) {
    const names = new Map<string, string>();
    const bytes = new Map<string, number>();
    network.on("Network.requestWillBeSent", ({ requestId, request }) =>
      names.set(requestId, new URL(request.url).pathname),
    );
    network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const name = names.get(requestId) ?? requestId;
      bytes.set(name, (bytes.get(name) ?? 0) + encodedDataLength);
    });
    return bytes;
  }

  test("the heaviest pages are small, and load the editor only if they have one", async (t) => {
    const faults: string[] = [];
    for (const at of heaviest) {
      const { context, page, network } = await visit();
      const bytes = bytesOf(network);
      await page.goto(site.address(at));
      const editor = await editorIn(page);
      await page.waitForLoadState("networkidle");
      const sum = [...bytes.values()].reduce((a, b) => a + b, 0);
      const most = [...bytes].sort((a, b) => b[1] - a[1]).slice(0, 3);
      t.diagnostic(
        `${at.kind} (${at.path}): ${kB(sum)} in ${bytes.size} files; ` +
          most.map(([name, n]) => `${name.split("/").pop() || "page"} ${kB(n)}`).join(", "),
      );
      const program = [...bytes.keys()].some((name) => /\/program[^/]*\.js$/.test(name));
      const limit = editor ? WITH_EDITOR : program ? WITH_PROGRAM : WITHOUT;
      const pictures = [...bytes].filter(([name]) => /\.(png|webp)$/.test(name)).reduce((a, [, b]) => a + b, 0);
      if (sum === 0 || sum - pictures > limit)
        faults.push(`${at.path} weighs ${kB(sum - pictures)}, more than ${kB(limit)}`);
      if (pictures > PICTURES) faults.push(`${at.path} has pictures of ${kB(pictures)}, more than ${kB(PICTURES)}`);
      const fetched = [...bytes.keys()].some((name) => /\/editor[^/]*\.js$/.test(name));
      if (fetched !== editor)
        faults.push(
          `${at.path}: the editor is ${fetched ? "" : "not "}fetched, and there is ${editor ? "one" : "none"}`,
        );
      await context.close();
    }
    none(faults);
  });
});

/** Widgets for which a page loads more scripts: see src/main.ts. */
const LOADERS = /class="(ots-(?:exercise|program|so-far))"/g;

/**
 * Of the pages of each kind that load the same scripts, returns the one whose compressed files, pictures included, are
 * the largest. Files that all pages of a kind share make no difference.
 */
async function heaviestOfEach(pages: SitePage[]): Promise<SitePage[]> {
  const most = new Map<string, { page: SitePage; bytes: number }>();
  for (const page of pages) {
    const file = join(tree, page.path === "no/such/page" ? "404.html" : page.path.replace(/(^|\/)$/, "$1index.html"));
    const html = await readFile(file, "utf8");
    const scripts = new Set([...html.matchAll(LOADERS)].map(([, name]) => name));
    const pictures = new Set(
      [...html.matchAll(/<img [^>]*src="([^":?]+)"/g)].map(([, name]) => join(dirname(file), name!)),
    );
    const sizes = await Promise.all([file, ...pictures].map(sent));
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    const group = JSON.stringify([page.kind, ...[...scripts].sort()]);
    if (bytes > (most.get(group)?.bytes ?? 0)) most.set(group, { page, bytes });
  }
  return [...most.values()].map(({ page }) => page);
}

/** Returns the bytes of a file as the runner sends it: of its compressed copy, if it has one. */
const sent = async (file: string) => (await stat(`${file}.br`).catch(() => stat(file))).size;

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
