// The changes that the script makes to every page of the book.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inBrowser } from "./harness.ts";

const later = (code: string) =>
  `<script type="text/later" src="data:text/javascript,${encodeURIComponent(code)}"></script>`;

// A stand-in for mdBook's search: two scripts, the second of which needs the first, and a button.
const SEARCH =
  '<button id="mdbook-search-toggle">Search</button><input id="name">' +
  later("window.index = []") +
  later(
    'window.index.push("ready"); ' +
      'document.getElementById("mdbook-search-toggle").addEventListener("click", () => window.index.push("open"))',
  );

inBrowser(
  "a page of the book",
  () => undefined,
  (book) => {
    const index = () => book.page.evaluate(() => (window as unknown as { index?: string[] }).index ?? null);
    const open = async (query = "") => {
      book.edit = (html) => html.replace("<main>", `<main>${SEARCH}`);
      await book.page.goto(book.url + query);
    };

    test("the search is loaded when the reader opens it", async () => {
      await open();
      assert.equal(await index(), null, "not before");
      await book.page.locator("#name").focus();
      await book.page.keyboard.press("/");
      assert.equal(await index(), null, "a slash in a text is a slash");
      await book.page.locator("#name").blur();
      await book.page.keyboard.press("/");
      await book.page.waitForFunction(() => (window as unknown as { index?: string[] }).index?.length === 2);
      assert.deepEqual(await index(), ["ready", "open"]);
      await book.page.locator("#mdbook-search-toggle").click();
      assert.deepEqual(await index(), ["ready", "open", "open"], "from then on the button is the search's own");
    });

    test("the button and the URL of a search result load the search, too", async () => {
      await open();
      await book.page.locator("#mdbook-search-toggle").click();
      await book.page.waitForFunction(() => (window as unknown as { index?: string[] }).index?.length === 2);
      assert.deepEqual(await index(), ["ready", "open"]);
      await open("?highlight=heap");
      await book.page.waitForFunction(() => (window as unknown as { index?: string[] }).index?.length === 1);
    });

    test("a page is printed in the light theme with its details open, and is as it was afterwards", async () => {
      book.edit = (html) =>
        html.replace("<main>", "<main><details class=a></details><details class=b open></details>");
      await book.page.goto(book.url);
      const html = book.page.locator("html");
      await html.evaluate((root) => root.classList.replace("light", "navy") || root.classList.add("navy"));
      const state = () =>
        book.page.evaluate(() => [
          ...["light", "navy"].filter((theme) => document.documentElement.classList.contains(theme)),
          ...["a", "b"].filter((name) => document.querySelector<HTMLDetailsElement>(`details.${name}`)!.open),
        ]);
      assert.deepEqual(await state(), ["navy", "b"]);
      await book.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.deepEqual(await state(), ["light", "a", "b"]);
      await book.page.evaluate(() => dispatchEvent(new Event("afterprint")));
      assert.deepEqual(await state(), ["navy", "b"]);
    });

    test("code has the editor's colors and unchanged text", async () => {
      const go = 'package p // text\n\nvar s = "a < b"\n';
      const console = "$ go version\ngo version go1.26\n";
      const block = (language: string, text: string) =>
        `<pre class="shown"><code class="language-${language}">${text.replaceAll("<", "&lt;")}</code></pre>`;
      book.edit = (html) =>
        html.replace("<main>", `<main>${block("go", go)}${block("console", console)}${block("text", "var $")}`);
      await book.page.goto(book.url);
      const code = book.page.locator(".shown > code");
      assert.deepEqual(await code.allTextContents(), [go, console, "var $"]);
      assert.deepEqual(await code.locator(".tok-keyword").allTextContents(), ["package", "var"]);
      assert.deepEqual(await code.locator(".tok-string").allTextContents(), ['"a < b"']);
      assert.deepEqual(await code.locator(".tok-comment").allTextContents(), ["// text"]);
      assert.deepEqual(await code.locator(".ots-command").allTextContents(), ["$ go version\n"]);
    });
  },
);
