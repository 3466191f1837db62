// The editor by itself: what it types for the reader, and how it finds a text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf } from "../stand-in/scripts.ts";
import { inBrowser } from "./harness.ts";

inBrowser(
  "the editor",
  () => undefined,
  (book) => {
    const editor = () => book.page.locator(".cm-content");
    const find = () => book.page.getByRole("search");
    const field = () => book.page.getByLabel("Find");
    const text = async () => (await book.page.locator(".cm-line").allTextContents()).join("\n");

    async function open(program: string): Promise<void> {
      await book.page.goto(`${book.server.origin}/play/`);
      await editor().waitFor();
      await editor().focus();
      await book.page.keyboard.press("ControlOrMeta+a");
      if (program === "") await book.page.keyboard.press("Delete");
      else await book.page.keyboard.insertText(program);
    }

    test("it types the closing character, which the reader may type too", async () => {
      await open("");
      for (const [typed, want] of [
        ["f(", "f()"],
        ["f(a)", "f(a)"],
        ["f(a[1])", "f(a[1])"],
        ['f("a, b")', 'f("a, b")'],
        ["x := 'a'", "x := 'a'"],
        ["`raw (", "`raw (`"],
        ["// don't (", "// don't ("],
        ['"a\\"', '"a\\""'],
        ["func f() {\nreturn", "func f() {\n\treturn\n}"],
      ] as const) {
        await book.page.keyboard.type(typed);
        assert.equal(await text(), want, typed);
        await book.page.keyboard.press("ControlOrMeta+a");
        await book.page.keyboard.press("Delete");
      }
    });

    test("it types one bracket before a word, and around a selection two", async () => {
      await open("word");
      await book.page.keyboard.press("Home");
      await book.page.keyboard.type("(");
      assert.equal(await text(), "(word");
      await book.page.keyboard.press("ControlOrMeta+a");
      await book.page.keyboard.type("(");
      assert.equal(await text(), "((word)");
    });

    test("Backspace between a pair that it typed removes both, and only one of others", async () => {
      await open("");
      await book.page.keyboard.type("f(");
      await book.page.keyboard.press("Backspace");
      assert.equal(await text(), "f");
      await open("f()");
      await book.page.keyboard.press("ArrowLeft");
      await book.page.keyboard.press("Backspace");
      assert.equal(await text(), "f)");
    });

    test("Ctrl-F finds a text, also on lines that are not drawn", async () => {
      const lines = Array.from({ length: 400 }, (_, i) => `// line ${i}`);
      lines[20] = "// Here";
      lines[390] = "// and here";
      await open(`${lines.join("\n")}\n`);
      await book.page.keyboard.press("ControlOrMeta+Home");
      await book.page.keyboard.press("ControlOrMeta+f");
      await field().waitFor();
      await book.page.keyboard.type("here");
      await find().getByText("1 of 2").waitFor();
      await book.page.keyboard.press("Enter");
      await find().getByText("2 of 2").waitFor();
      await book.page.locator(".cm-line", { hasText: "and here" }).waitFor();
      const marked = () => book.page.evaluate(() => [...(CSS.highlights.get("ots-found") ?? [])].map(String).length);
      assert.equal(await marked(), 1);
      await book.page.keyboard.press("Shift+Enter");
      await find().getByText("1 of 2").waitFor();
      await book.page.keyboard.press("Escape");
      await find().waitFor({ state: "detached" });
      assert.equal(await marked(), 0);
      assert.equal(await editor().evaluate((e) => e === document.activeElement), true);
      await book.page.keyboard.insertText("There");
      await book.page.locator(".cm-line", { hasText: /^\/\/ There$/ }).waitFor();

      await book.page.keyboard.press("ControlOrMeta+f");
      await field().fill("nobody writes this");
      await find().getByText("not found").waitFor();
      await book.page.keyboard.press("Enter");
      await find().getByText("not found").waitFor();
    });

    test("the part that finds is loaded when it is opened", async () => {
      const fetched: string[] = [];
      book.page.on("request", (request) => fetched.push(request.url()));
      await open("package main\n");
      const [script] = filesOf("find");
      assert.ok(!fetched.some((url) => url.endsWith(script!)));
      await book.page.keyboard.press("ControlOrMeta+f");
      await field().waitFor();
      assert.ok(fetched.some((url) => url.endsWith(script!)));
    });
  },
);
