// "?try=NAME" puts a likely mistake into the editor, and leaves the reader's own code alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SOLUTION, STARTER, TWO_ALLOCATIONS } from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

const MISTAKE = STARTER.replace("bytes.NewBuffer(data)", "*bytes.NewBuffer(data)");

const MISTAKES = [
  {
    name: "a-value",
    title: "A value in place of the pointer",
    files: { "stream.go": MISTAKE, "stray.go": "package stray\n" },
  },
  { name: "another-reader", title: "A smaller reader", files: { "stream.go": "package p\n" } },
];

inBrowser(
  "a likely mistake",
  (request) => (request.path === "/check" ? { body: { ...TWO_ALLOCATIONS, pass: true, stage: "" } } : undefined),
  (book) => {
    async function open(query: string, answer: unknown = MISTAKES): Promise<ExercisePage> {
      await book.context.unrouteAll();
      await book.context.route("**/exercises/exercise6/mistakes.json", (route) =>
        answer === null ? route.fulfill({ status: 404, body: "" }) : route.fulfill({ json: answer }),
      );
      return ExercisePage.open(book.page, book.url + query, "exercise6");
    }
    const notice = () => book.page.locator("#exercise6 > .ots-notice");
    /** Waits until an edit is saved. */
    const saved = () =>
      book.page.waitForFunction(() => localStorage.getItem("onthestack/2/exercise6")?.includes("input.Read("));

    test("the mistake is in the editor, and a notice describes it", async () => {
      const exercise = await open("?try=a-value");
      assert.match(await exercise.text(), /\*bytes\.NewBuffer\(data\)/);
      assert.match(
        await notice().innerText(),
        /^A likely mistake: A value in place of the pointer\n+It takes the place of the starter\. Press Check to see its verdict\./,
      );
      let sent = "";
      book.post = ({ body }) => ((sent = body), { body: TWO_ALLOCATIONS });
      await exercise.checked();
      assert.deepEqual(JSON.parse(sent).files, { "stream.go": MISTAKE }, "and nothing that a solver may not edit");
    });

    test("the reader's own code and progress are kept, and a link leads back to them", async () => {
      await (await open("")).type(SOLUTION);
      await saved();
      const before = await book.page.evaluate(() => localStorage.getItem("onthestack/2/exercise6"));
      const exercise = await open("?try=a-value");
      assert.match(await exercise.text(), /\*bytes\.NewBuffer\(data\)/);
      assert.match(await notice().innerText(), /takes the place of your own code, which is kept as you left it/);
      await exercise.checked();
      await exercise.type("package mistaken\n");
      await book.page.goto("about:blank");
      await open("?try=a-value");
      assert.equal(await book.page.evaluate(() => localStorage.getItem("onthestack/2/exercise6")), before);
      await notice().getByRole("link", { name: "Back to your own code" }).click();
      await book.page.waitForURL((url) => url.search === "");
      await exercise.editor.waitFor();
      assert.match(await exercise.text(), /input\.Read\(/);
      assert.equal(await notice().count(), 0);
    });

    test("an unknown name is reported, with the known ones", async () => {
      const exercise = await open("?try=%3Cb%3Enone");
      assert.match(await exercise.text(), /io\.ReadFull\(/);
      assert.match(
        await notice().innerText(),
        /^There is no likely mistake "<b>none"\n+The editor has your own code\. The likely mistakes of exercise6 are:/,
      );
      await notice().getByRole("link", { name: "A smaller reader" }).click();
      await notice().getByText("A likely mistake: A smaller reader").waitFor();
    });

    test("mistakes that cannot be fetched are reported", async () => {
      const exercise = await open("?try=a-value", null);
      assert.match(await exercise.text(), /io\.ReadFull\(/);
      assert.match(await notice().innerText(), /^The likely mistake could not be fetched/);
    });

    for (const answer of [{}, [1, null, { name: "a-value" }], [{ name: 1, files: {} }]]) {
      test(`an invalid answer is reported: ${JSON.stringify(answer)}`, async () => {
        const exercise = await open("?try=a-value", answer);
        assert.match(await exercise.text(), /io\.ReadFull\(/);
        assert.match(await notice().innerText(), /could not be fetched|There is no likely mistake/);
      });
    }

    test("without ?try nothing is fetched", async () => {
      let asked = false;
      book.page.on("request", (request) => (asked ||= request.url().endsWith("mistakes.json")));
      await open("");
      assert.equal(asked, false);
      assert.equal(await notice().count(), 0);
    });
  },
);
