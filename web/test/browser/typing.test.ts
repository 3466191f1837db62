// The compiler's report while the reader types, from a server: one request after a pause, which an edit and a check
// cancel.

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerChecks } from "../stand-in/exercise-runner.ts";
import { Gate, type Answer, type Request } from "../stand-in/server.ts";
import { STARTER } from "../stand-in/verdicts.ts";
import { ExercisePage } from "./exercise-page.ts";
import { inBrowser } from "./harness.ts";

inBrowser("the compiler's report while one types", answerChecks, (book) => {
  const REPORT = {
    errors: "",
    escapes: [
      { file: "stream.go", line: 15, col: 10, kind: "escape", message: "&bytes.Buffer{...} escapes to heap" },
      { file: "stream.go", line: 16, col: 1, kind: "stays", message: "window does not escape" },
    ],
  };

  /** Opens the exercise, checks it, and from then on answers reports. Returns the requests for them. */
  const open = async (answer: (request: Request) => Answer) => {
    const asked: Request[] = [];
    book.post = (request) => {
      if (request.path !== "/escape") return answerChecks(request);
      asked.push(request);
      return answer(request);
    };
    const exercise = await ExercisePage.open(book.page, book.url, "exercise6");
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
    assert.equal(asked.length, 0, "the text has not changed");
    return { exercise, asked, said: exercise.root.locator(".ots-mark.is-said") };
  };
  const edit = async (exercise: ExercisePage, text: string) => {
    await exercise.editor.focus();
    await book.page.keyboard.press("ControlOrMeta+End");
    await book.page.keyboard.insertText(text);
  };

  test("lines that send something to the heap are marked, as not measured, after the last of several edits", async () => {
    const { exercise, asked, said } = await open(() => ({ body: REPORT }));
    for (const text of ["// one", "// two", "// three\n"]) await edit(exercise, text);
    await said.waitFor();
    assert.equal(asked.length, 1);
    const program = new URLSearchParams(asked[0]!.body).get("body")!;
    assert.match(program, /^-- stream\.go --\n/);
    assert.match(program, /^package main$/m);
    assert.match(program, /one\/\/ two\/\/ three/);
    assert.equal(await said.textContent(), "?×");
    assert.equal(
      await said.getAttribute("aria-label"),
      "Line 15, not measured: the compiler says &bytes.Buffer{...} escapes to heap",
    );
    assert.deepEqual(await exercise.marks.allTextContents(), ["?×"], "what was measured was another text");
    await said.hover();
    await exercise.root.getByRole("tooltip").getByText("Not measured: Check counts.").waitFor();
  });

  test("the marks of the check come back with its text", async () => {
    const { exercise, asked, said } = await open(() => ({ body: REPORT }));
    await edit(exercise, "// more");
    await said.waitFor();
    await book.page.keyboard.press("ControlOrMeta+z");
    await said.waitFor({ state: "detached" });
    assert.deepEqual(await exercise.marks.allTextContents(), ["1×", "1×"]);
    assert.equal(asked.length, 1);
  });

  test("an edit cancels a report", async () => {
    const gate = new Gate();
    const { exercise, asked, said } = await open(() => (asked.length === 1 ? { stream: [gate] } : { body: REPORT }));
    await edit(exercise, "// one");
    await reached(() => asked.length === 1);
    await edit(exercise, "// two");
    await reached(() => asked[0]!.gone.aborted);
    gate.open();
    await said.waitFor();
    assert.equal(asked.length, 2);
  });

  test("a check cancels a report, and does not wait for it", async () => {
    const gate = new Gate();
    const { exercise, asked, said } = await open(() => ({ stream: [gate] }));
    await edit(exercise, "// one");
    await reached(() => asked.length === 1);
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
    assert.equal(asked[0]!.gone.aborted, true);
    gate.open();
    assert.deepEqual(await exercise.marks.allTextContents(), ["1×", "1×"]);
    assert.equal(await said.count(), 0);
  });

  test("a text that does not compile leaves the marks, and a server that refuses is not asked again", async () => {
    const answers: Answer[] = [
      { body: { escapes: [], errors: "./stream.go:3:1: syntax error" } },
      { status: 429, body: { error: "too many requests" } },
    ];
    const { exercise, asked, said } = await open(() => answers.shift() ?? { body: REPORT });
    await edit(exercise, "// one");
    await reached(() => asked.length === 1);
    await edit(exercise, "// two");
    await reached(() => asked.length === 2);
    assert.deepEqual(await exercise.marks.allTextContents(), ["1×", "1×"]);
    await edit(exercise, "// three");
    // The next pause is over when the draft has been saved and a check has been answered.
    await book.page.waitForTimeout(1500);
    assert.equal(await exercise.checked(), "Not yet: 2 allocs/op, target 1");
    assert.equal(asked.length, 2);
    assert.equal(await said.count(), 0);
  });

  test("without a server that has answered, nothing is asked", async () => {
    const asked: string[] = [];
    book.post = ({ path }) => void asked.push(path);
    const exercise = await ExercisePage.open(book.page, book.url, "exercise6");
    await exercise.type(`${STARTER}// more\n`);
    await book.page.waitForTimeout(1500);
    assert.deepEqual(asked, []);
  });

  /** Waits until the server has seen something. */
  async function reached(is: () => boolean): Promise<void> {
    while (!is()) await book.page.waitForTimeout(20);
  }
});
