// Pages whose server is unreachable: over plain http from another machine, as in a classroom, and on the reader's own
// machine.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { chromium, type Browser, type BrowserContext } from "playwright-core";
import { page as bookPage } from "../stand-in/page.ts";
import { serve, type Server } from "../stand-in/server.ts";
import { FLAGS, findChromium, NO_CHROMIUM } from "./chromium.ts";
import { ExercisePage } from "./exercise-page.ts";

/** The manifest of a site with an engine. The parts do not exist, because no test here lets the page fetch them. */
const MANIFEST = JSON.stringify({
  schema: "onthestack/engine/1",
  go: "go1.26.8",
  godebug: "",
  imports: [],
  parts: Object.fromEntries(
    ["compile", "link", "page", "std", "exec"].map((part) => [
      part,
      { file: `${part}-00000000.wasm`, size: 4_000_000, br: 1_000_000, gz: 2_000_000 },
    ]),
  ),
});

if (!findChromium()) {
  console.error(NO_CHROMIUM);
  test("a browser is there", { skip: process.env["CI"] === "true" ? false : NO_CHROMIUM }, () =>
    assert.fail(NO_CHROMIUM),
  );
}

describe("an unreachable server", { skip: findChromium() === null }, () => {
  let browser: Browser;
  let server: Server;
  let context: BrowserContext;
  let engine: boolean;
  before(async () => {
    // To the browser, this name is not one of this machine, so its pages count as plain http.
    browser = await chromium.launch({
      executablePath: findChromium()!,
      args: [...FLAGS, "--host-resolver-rules=MAP room.test 127.0.0.1"],
    });
    server = await serve({
      prefix: "/book/",
      dir: process.env["OTS_BOOK"]!,
      page: (path) =>
        path === "/book/profiling/index.html"
          ? bookPage()
          : path === "/engine/manifest.json" && engine
            ? MANIFEST
            : undefined,
    });
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(async () => {
    engine = true;
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(120_000);
  });
  afterEach(() => context.close());

  const inRoom = () => server.origin.replace("127.0.0.1", "room.test");

  async function open(origin: string): Promise<ExercisePage> {
    return ExercisePage.open(await context.newPage(), `${origin}/book/profiling/index.html`, "exercise6");
  }
  async function told(exercise: ExercisePage): Promise<string> {
    await exercise.check.click();
    await exercise.notice.waitFor();
    return exercise.notice.innerText();
  }
  const buttons = (exercise: ExercisePage) => exercise.notice.getByRole("button").allTextContents();

  test("over plain http the server is offered first, and the page says that a download is not kept", async () => {
    const exercise = await open(inRoom());
    assert.equal(await exercise.page.evaluate(() => isSecureContext), false);
    const words = await told(exercise);
    assert.match(
      words,
      /^The server does not answer\n+Nothing is lost: your code stays in the editor\. If you are in a class, tell the instructor\. Then press Check again\./,
    );
    assert.match(words, /10\.0 MB are fetched now, and again on each later visit: this page came over plain http/);
    assert.doesNotMatch(words, /make serve|keeps both|without a network|https?:\/\//);
    assert.deepEqual(await buttons(exercise), ["Try again", "Fetch 10.0 MB and check"]);
  });

  test("the reader's consent to a download that is not kept lasts for one visit", async () => {
    const exercise = await open(inRoom());
    await told(exercise);
    await exercise.button("Fetch 10.0 MB and check").click();
    await exercise.root.getByText("Go's compiler could not be fetched", { exact: true }).waitFor();
    await told(exercise);
    assert.deepEqual(await buttons(exercise), [], "it is agreed to in this visit");
    const next = await open(inRoom());
    await told(next);
    assert.deepEqual(await buttons(next), ["Try again", "Fetch 10.0 MB and check"]);
  });

  test("a reader who chose the page sees the same, and can choose the server again", async () => {
    await context.addInitScript(() => {
      if (!localStorage.getItem("onthestack/2/engine"))
        localStorage.setItem("onthestack/2/engine", JSON.stringify({ chosen: "page" }));
    });
    const exercise = await open(inRoom());
    assert.match(await told(exercise), /^This page can check by itself\n+Go's own compiler.*again on each later visit/);
    assert.deepEqual(await buttons(exercise), ["Ask the server", "Fetch 10.0 MB and check"]);
    await exercise.button("Ask the server").click();
    await exercise.root.getByText("The server does not answer", { exact: true }).waitFor();
    assert.deepEqual(await buttons(exercise), ["Try again", "Fetch 10.0 MB and check"]);
  });

  test("Try again asks the server again", async () => {
    const exercise = await open(inRoom());
    await told(exercise);
    const asked = exercise.page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/check"),
    );
    await exercise.button("Try again").click();
    await asked;
    await exercise.notice.waitFor();
  });

  test("without an engine a participant reads what to do, without a command", async () => {
    engine = false;
    const words = await told(await open(inRoom()));
    assert.match(
      words,
      /your code stays in the editor\. If you are in a class, tell the instructor\. Then press Check again\.$/,
    );
    assert.doesNotMatch(words, /make serve|clone|https?:\/\//);
  });

  test("on the reader's own machine a download is kept, and the notice says how to start the server", async () => {
    const exercise = await open(server.origin);
    const words = await told(exercise);
    assert.match(
      words,
      /^This page can check by itself\n+No server answers here\. .*This fetches 10\.0 MB once.*This browser keeps both/,
    );
    assert.deepEqual(await buttons(exercise), ["Fetch 10.0 MB and check"]);
    await exercise.page.evaluate(() => localStorage.setItem("onthestack/2/engine", JSON.stringify({ server: true })));
    const next = await open(server.origin);
    assert.match(
      await told(next),
      /^The server does not answer\n+Nothing is lost: .* In the clone, that is make serve\. Then press Check again\./,
    );
    assert.deepEqual(await buttons(next), ["Try again", "Fetch 10.0 MB and check"]);
  });

  test("a script that cannot be loaded is reported without its URL", async () => {
    await context.route("**/widgets/engine-*.js", (route) => route.abort());
    await context.addInitScript(() => localStorage.setItem("onthestack/2/engine", JSON.stringify({ chosen: "page" })));
    const words = await told(await open(inRoom()));
    assert.match(words, /^Go's compiler could not be fetched\n+The connection broke off\./);
    assert.doesNotMatch(words, /\.js|https?:\/\//);
  });
});
