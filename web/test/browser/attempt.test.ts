// "Share this attempt" makes a link that opens the code in place of the reader's, and "Download my work" makes a zip
// file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { strFromU8, unzipSync } from "fflate";
import { SOLUTION, STARTER, TESTS, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

/** Not Latin letters, and more than a few hundred bytes that cannot be compressed. */
const NOISE = Array.from({ length: 900 }, (_, i) => ((i * 7919) % 9973).toString(36)).join("");
const MINE = `${SOLUTION}\n// größer, 速い\n// ${NOISE}\n`;

const packed = (json: unknown) => deflateRawSync(JSON.stringify(json)).toString("base64url");

inBrowser(
  "the reader's code, shared and downloaded",
  (request) => (request.path === "/check" ? { body: { ...TWO_ALLOCATIONS, pass: true, stage: "" } } : undefined),
  (book) => {
    const open = (fragment = "") => ExercisePage.open(book.page, book.url + fragment, "exercise6");
    const notice = () => book.page.locator("#exercise6 > .ots-notice");
    const stored = () => book.page.evaluate(() => localStorage.getItem("onthestack/2/exercise6"));
    const saved = (text: string) =>
      book.page.waitForFunction((text) => localStorage.getItem("onthestack/2/exercise6")?.includes(text), text);
    /** Opens an attempt as a new visit: the browser loads a page again only if more than the fragment changes. */
    const attempt = async (fragment: string) => {
      await book.page.goto("about:blank");
      return open(fragment);
    };

    /** Waits for the page that a link of the notice loads. */
    async function loaded(): Promise<ExercisePage> {
      await notice().waitFor({ state: "detached" });
      await book.page.locator("#exercise6").scrollIntoViewIfNeeded();
      const exercise = new ExercisePage(book.page, "exercise6");
      await exercise.editor.waitFor();
      return exercise;
    }

    async function share(text: string): Promise<URL> {
      const exercise = await open();
      await exercise.type(text);
      await exercise.button("Share this attempt").click();
      const field = exercise.root.getByLabel("Link");
      await field.waitFor();
      return new URL(await field.inputValue());
    }

    test("the link opens the code, and no request has it", async () => {
      const sent: string[] = [];
      book.page.on("request", (request) => sent.push(request.url().replace(/#.*/, ""), request.postData() ?? ""));
      const link = await share(MINE);
      assert.equal(link.pathname, "/exercises/exercise6/");
      const exercise = await attempt(link.hash);
      const words = /^An attempt that somebody shared\n+It takes the place of your own code/;
      assert.match(await notice().innerText(), words);
      assert.match(await exercise.text(), /input\.Read\(window\[held:\]\)/);
      const code = link.hash.slice("#attempt=".length);
      assert.ok(!sent.some((text) => text.includes(code.slice(0, 100)) || text.includes("größer")));
      let checked = "";
      book.post = ({ body }) => ((checked = body), { body: TWO_ALLOCATIONS });
      await exercise.checked();
      assert.deepEqual(JSON.parse(checked).files, { "stream.go": MINE });
    });

    test("the reader's own code is kept, and a link leads back to it", async () => {
      const { hash } = await share(MINE);
      await (await open()).type(STARTER.replace("held := 0 ", "held := 0x0 "));
      await saved("0x0");
      const before = await stored();
      const exercise = await attempt(hash);
      await exercise.type("package mistaken\n");
      await exercise.checked();
      await notice().getByRole("link", { name: "Back to your own code" }).click();
      assert.match(await (await loaded()).text(), /held := 0x0/);
      assert.deepEqual(JSON.parse((await stored())!).files, JSON.parse(before!).files);
      assert.equal(JSON.parse((await stored())!).passed, false, "a pass on another's code does not count");
    });

    test("the reader goes on with the attempt, and does not lose their own code", async () => {
      const { hash } = await share(MINE);
      await (await open()).type("package own\n");
      await saved("package own");
      await attempt(hash);
      await notice().getByRole("button", { name: "Continue with it as my own" }).click();
      const exercise = await loaded();
      await exercise.button("Show the other edit").click();
      assert.match(await exercise.text(), /package own/);
      assert.equal(JSON.parse((await stored())!).asides[0]["stream.go"], MINE);
    });

    test("a link that is opened in the tab of the exercise opens the attempt", async () => {
      const { hash } = await share(MINE);
      await open();
      await Promise.all([book.page.waitForEvent("load"), book.page.goto(book.url + hash)]);
      await book.page.locator("#exercise6").scrollIntoViewIfNeeded();
      await notice().getByText("An attempt that somebody shared").waitFor();
    });

    test("the link says that it is older than the last edit", async () => {
      await share(MINE);
      const exercise = new ExercisePage(book.page, "exercise6");
      await exercise.type(SOLUTION);
      await exercise.root.getByText("before the last edit").waitFor();
    });

    for (const [what, fragment] of [
      ["nothing", ""],
      ["a part of a link", packed({ "stream.go": MINE }).slice(0, 300)],
      ["letters that are no base64", "%00<img src=x onerror=alert(1)>"],
      ["no files", packed([1, 2])],
      ["a file that is no text", packed({ "stream.go": { length: 5 } })],
      ["a file of another exercise", packed({ "stream.go": "package p", "../main.go": "package main" })],
      ["a property of every object", packed({ constructor: "package p" })],
      ["a file that unpacks to 64 MB", packed({ "stream.go": "a".repeat(64 << 20) })],
      ["a megabyte", "A".repeat(1 << 20)],
    ] as const) {
      test(`a link with ${what} leaves the reader's code in the editor`, async () => {
        const exercise = await open(`#attempt=${fragment}`);
        const shown = /^The shared attempt cannot be shown\n+The editor has your own code\. The link /;
        assert.match(await notice().innerText(), shown);
        assert.match(await exercise.text(), /io\.ReadFull\(/);
      });
    }

    test("code that is too long for a link is refused, with the other way", async () => {
      const exercise = await open();
      const noise = Array.from({ length: 9000 }, (_, i) => ((i * 2654435761) % 4294967291).toString(36)).join(" ");
      await exercise.type(`package p\n\n// ${noise}\n`);
      await exercise.button("Share this attempt").click();
      await exercise.notice
        .getByText("The code is too long for a link. Use Download my work to save it in a file.")
        .waitFor();
    });

    test("the zip file is a workspace, with the reader's code, the tests and the progress", async () => {
      const exercise = await open();
      await exercise.type(MINE);
      await exercise.checked();
      const [download] = await Promise.all([
        book.page.waitForEvent("download"),
        exercise.button("Download my work").click(),
      ]);
      assert.equal(download.suggestedFilename(), "on-the-stack.zip");
      const zip = unzipSync(await readFile(await download.path()));
      const names = Object.keys(zip).filter((name) => !name.endsWith("/")).sort();
      const tests = Object.keys(TESTS.files).map((name) => `on-the-stack/exercises/exercise6/${name}`);
      assert.deepEqual(names, [
        "on-the-stack/.checkalloc/progress.json",
        "on-the-stack/.gitignore",
        "on-the-stack/README.txt",
        "on-the-stack/exercises/exercise6/stream.go",
        ...tests,
        "on-the-stack/go.mod",
      ].sort());
      assert.equal(strFromU8(zip["on-the-stack/exercises/exercise6/stream.go"]!), MINE);
      const progress = JSON.parse(strFromU8(zip["on-the-stack/.checkalloc/progress.json"]!));
      assert.match(progress.exercises.exercise6.passed, /^\d{4}-/);
    });

    test("tests that cannot be fetched are reported", async () => {
      await book.context.route("**/exercise6.tests.json", (route) => route.abort());
      const exercise = await open();
      await exercise.button("Download my work").click();
      await exercise.notice.getByText("Not downloaded").waitFor();
      await exercise.notice.getByText("The tests of exercise6 could not be fetched.").waitFor();
    });
  },
);
