// The stack and the heap of a program, a step at a time: on the page that checkalloc writes, below a program of the
// book, and on the editor's page.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Locator } from "playwright-core";
import { dataBlock, escapeHTML } from "../stand-in/page.ts";
import { STEPPED, STEPS, stepPage } from "../stand-in/steps.ts";
import { event, type Answer, type Request } from "../stand-in/server.ts";
import { faintTexts } from "./contrast.ts";
import { inBrowser } from "./harness.ts";
import { PHONE } from "./panes.ts";

const LAST = STEPS.steps.length;
/** The first step, from 1, of which something holds. */
const stepWhere = (holds: (step: (typeof STEPS.steps)[number]) => boolean): number => STEPS.steps.findIndex(holds) + 1;

function runner({ path, body }: Request): Answer | undefined {
  if (path !== "/step") return undefined;
  const text = new URLSearchParams(body).get("body") ?? "";
  if (text.includes("mistake")) return { body: { ...STEPS, errors: "./prog.go:3:1: undefined: mistake\n", steps: [] } };
  return { body: STEPS };
}

inBrowser("steps", runner, (book) => {
  const viewer = () => book.page.locator(".ots-steps");
  const count = () => viewer().locator(".ots-steps-count");
  const at = (n: number) => count().getByText(new RegExp(`^${n} of ${LAST} `)).waitFor();
  const press = (name: string) => viewer().getByRole("button", { name, exact: true }).click();
  const hash = () => new URL(book.page.url()).hash;
  const box = (within: Locator) => within.boundingBox().then((b) => b!);

  /** Opens the page that checkalloc writes. */
  async function open(address = ""): Promise<void> {
    book.shared.page = (path) => (path === "/step.html" ? stepPage() : undefined);
    await book.page.goto(`${book.server.origin}/step.html${address}`);
    await viewer().waitFor();
  }

  test("buttons, keys and the slider move through the steps, and the address names the step", async () => {
    await open();
    await at(1);
    await press("Next");
    await at(2);
    assert.equal(hash(), "#step=2");
    await press("Back");
    await at(1);
    await book.page.keyboard.press("ArrowRight");
    await book.page.keyboard.press("n");
    await at(3);
    await book.page.keyboard.press("p");
    await at(2);
    await book.page.keyboard.press("End");
    await at(LAST);
    assert.equal(await viewer().getByRole("button", { name: "Next" }).getAttribute("aria-disabled"), "true");
    await book.page.keyboard.press("ArrowRight");
    await at(LAST);
    await book.page.keyboard.press("Home");
    await at(1);
    const slider = viewer().getByRole("slider");
    await slider.fill("5");
    await at(5);
    assert.match((await slider.getAttribute("aria-valuetext")) ?? "", /^step 5, line \d+$/);
    await slider.focus();
    await book.page.keyboard.press("ArrowRight");
    await at(6);
  });

  test("an address opens its step, and a step over a call skips it", async () => {
    const call = stepWhere((step) => step.event === "call" && step.stack.length === 2) - 1;
    await open(`#step=${call}`);
    await at(call);
    await press("Over");
    assert.equal(await viewer().locator(".ots-frame").count(), 1);
    await book.page.evaluate(() => (location.hash = "#step=2"));
    await at(2);
  });

  test(
    "the picture is there before the allocations are counted, and the counts join it where the reader is",
    async () => {
      const picture = {
        ...STEPS,
        pending: true,
        lines: [],
        steps: STEPS.steps.map((step) => ({ ...step, heap: [], allocs: 0, bytes: 0 })),
      };
      let counted = 0;
      book.post = ({ path }) =>
        path === "/step" ? { stream: [event("picture", picture), counted, event("steps", STEPS)] } : undefined;
      const play = book.page.locator(".ots-play");
      const step = play.getByRole("button", { name: "Step", exact: true });
      const counting = viewer().getByText("What the program allocates is being counted");
      /** Presses Step and moves to the last step. */
      async function begin(): Promise<void> {
        await book.page.goto(`${book.server.origin}/play/`);
        await step.click();
        await at(1);
        await book.page.keyboard.press("End");
        await at(LAST);
      }
      counted = 4000;
      await begin();
      await count().getByText("counting the allocations…").waitFor();
      await counting.waitFor();
      await play.locator(".ots-status", { hasText: "Counting the allocations…" }).waitFor();
      assert.equal(await viewer().locator(".ots-mem-heap .ots-object").count(), 0);
      assert.equal(await play.getByRole("button", { name: "Compare with the next Step" }).count(), 0);
      await count().getByText(/ allocs?, \d+ B so far/).waitFor();
      await at(LAST);
      await counting.waitFor({ state: "detached" });
      await viewer().locator(".ots-mem-heap .ots-object").first().waitFor();
      await play.getByRole("button", { name: "Compare with the next Step" }).waitFor();
      // The keys still work: the focus has stayed.
      await book.page.keyboard.press("Home");
      await at(1);
      const drawn = () => viewer().evaluate((root) => root.outerHTML.replace(/ style="[^"]*"/g, ""));
      await book.page.keyboard.press("End");
      const joined = await drawn();
      book.post = ({ path }) => (path === "/step" ? { body: STEPS } : undefined);
      await begin();
      assert.equal(await drawn(), joined, "the picture that got its counts later is the one that came with them");

      counted = 8000;
      book.post = ({ path }) =>
        path === "/step" ? { stream: [event("picture", picture), counted, event("steps", STEPS)] } : undefined;
      await begin();
      await play.getByRole("button", { name: "Stop", exact: true }).click();
      await viewer().getByText("Allocations are not known: the measurement was stopped.").waitFor();
      await at(LAST);
    },
  );

  test("two programs are beside each other, and step together until one of them is compared no more", async () => {
    const shorter = { ...STEPS, steps: STEPS.steps.slice(0, LAST - 5) };
    let steps = STEPS;
    book.post = ({ path }) => (path === "/step" ? { body: steps } : undefined);
    await book.page.goto(`${book.server.origin}/play/`);
    const play = book.page.locator(".ots-play");
    const button = (name: string) => play.getByRole("button", { name, exact: true });
    await button("Step").click();
    await button("Compare with the next Step").click();
    steps = shorter;
    await button("Step").click();
    const before = play.getByRole("region", { name: "Before, step by step" });
    const now = play.getByRole("region", { name: "Now, step by step" });
    const counts = async (first: string, second: string) => {
      await before.locator(".ots-steps-count", { hasText: first }).waitFor();
      await now.locator(".ots-steps-count", { hasText: second }).waitFor();
    };
    await counts(`1 of ${LAST} `, `1 of ${LAST - 5} `);
    const slider = play.getByRole("slider");
    assert.equal(await slider.count(), 1);
    await button("Next").click();
    await counts(`2 of ${LAST} `, `2 of ${LAST - 5} `);
    await slider.fill("4");
    await counts(`4 of ${LAST} `, `4 of ${LAST - 5} `);
    await before.locator(".ots-steps-code").click();
    await slider.focus();
    await book.page.keyboard.press("End");
    await counts(`${LAST} of ${LAST} `, `${LAST - 5} of ${LAST - 5} `);
    await button("Back").click();
    await counts(`${LAST - 1} of ${LAST} `, `${LAST - 5} of ${LAST - 5} `);
    await slider.fill(String(LAST - 6));
    await counts(`${LAST - 6} of ${LAST} `, `${LAST - 6} of ${LAST - 5} `);
    await button("End the comparison").click();
    await before.waitFor({ state: "detached" });
    await play.locator(".ots-steps-count", { hasText: `${LAST - 6} of ${LAST - 5} ` }).waitFor();
  });

  /** Has the server answer /step on two releases. On the newer one the program has five steps less. */
  function offerReleases(): void {
    const version = JSON.stringify({ Version: "go1.26.8", Release: "go1.26", Releases: ["go1.26.8", "go1.27.4"] });
    const page = book.shared.page.bind(book.shared);
    book.shared.page = (path) => (path === "/version" ? version : page(path));
    const newer = { ...STEPS, steps: STEPS.steps.slice(0, LAST - 5) };
    book.post = ({ path, body }) => {
      if (path !== "/step") return undefined;
      const form = new URLSearchParams(body);
      const steps = form.get("go") === "1.27" ? newer : STEPS;
      if (form.get("body")?.includes("// go1.27 only") && steps === STEPS)
        return { body: { ...STEPS, errors: "./prog.go:3:1: undefined: strings.New\n", steps: [] } };
      return { stream: [event("picture", { ...steps, pending: true }), 50, event("steps", steps)] };
    };
  }

  test("one program on two releases of Go is beside itself, and its address opens the pair", async () => {
    offerReleases();
    await book.page.goto(`${book.server.origin}/play/`);
    const play = book.page.locator(".ots-play");
    const list = play.getByLabel("Release of Go to step on");
    await list.waitFor();
    const offered = await list.locator("option").allTextContents();
    assert.deepEqual(offered, ["Go 1.26.8", "Go 1.27.4", "Go 1.26.8 and Go 1.27.4"]);
    const button = (name: string) => play.getByRole("button", { name, exact: true });
    const one = (name: string) => play.getByRole("region", { name: `${name}, step by step` });
    const counts = async (first: string, second: string) => {
      await one("Go 1.26.8").locator(".ots-steps-count", { hasText: `${first} of ${LAST} ` }).waitFor();
      await one("Go 1.27.4").locator(".ots-steps-count", { hasText: `${second} of ${LAST - 5} ` }).waitFor();
    };
    await list.selectOption("1.26,1.27");
    await button("Step").click();
    await counts("1", "1");
    assert.equal(hash(), "#step=1&go=1.26,1.27");
    assert.equal(await play.getByRole("slider").count(), 1);
    assert.equal(await button("Compare with the next Step").count(), 0, "four do not fit");
    await book.page.keyboard.press("End");
    await counts(String(LAST), String(LAST - 5));
    await book.page.keyboard.press("ArrowLeft");
    await counts(String(LAST - 1), String(LAST - 5));
    await play.getByRole("slider").fill("3");
    await counts("3", "3");
    for (const name of ["Go 1.26.8", "Go 1.27.4"])
      await one(name).locator(".ots-steps-sentence", { hasText: STEPS.steps[2]!.sentence }).waitFor();
    await book.page.reload();
    await counts("3", "3");
    assert.equal(await list.inputValue(), "1.26,1.27");

    const [wide, other] = [await box(one("Go 1.26.8")), await box(one("Go 1.27.4"))];
    assert.ok(other.x >= wide.x + wide.width && Math.abs(other.y - wide.y) < 2, "they are beside each other");
    await book.page.setViewportSize({ width: 390, height: 844 });
    const [narrow, below] = [await box(one("Go 1.26.8")), await box(one("Go 1.27.4"))];
    assert.ok(below.y >= narrow.y + narrow.height && narrow.width <= 390, "one is below the other");
    assert.deepEqual((await faintTexts(book.page, ".ots-pair")).faint, []);
  });

  test("a program is stepped through on another release, beside what was kept of the server's own", async () => {
    offerReleases();
    await book.page.goto(`${book.server.origin}/play/#step=2&go=1.27`);
    const play = book.page.locator(".ots-play");
    await play.locator(".ots-pair-name", { hasText: "Go 1.27.4" }).waitFor();
    await count().getByText(`2 of ${LAST - 5} `).waitFor();
    const button = (name: string) => play.getByRole("button", { name, exact: true });
    await button("Compare with the next Step").click();
    await play.getByLabel("Release of Go to step on").selectOption("Go 1.26.8");
    await button("Step").click();
    await play.getByRole("region", { name: "Before, Go 1.27.4, step by step" }).waitFor();
    await play.getByRole("region", { name: "Now, step by step" }).waitFor();
    assert.equal(hash(), "#step=1");

    await play.getByLabel("Release of Go to step on").selectOption("1.26,1.27");
    await play.locator(".cm-content").focus();
    await book.page.keyboard.press("ControlOrMeta+a");
    await book.page.keyboard.insertText("package main\n\nfunc main() {} // go1.27 only\n");
    await button("Step").click();
    await play.getByText("Does not compile on Go 1.26.8").first().waitFor();
  });

  test("steps whose script comes late or not at all", async () => {
    offerReleases();
    let fails = true;
    await book.page.route("**/widgets/step-*.js", async (route) => {
      if (fails) return route.abort();
      // Picture and counts both come before the script, and are shown in their order.
      await setTimeout(300);
      return route.continue();
    });
    await book.page.goto(`${book.server.origin}/play/#step=2&go=1.27`);
    const play = book.page.locator(".ots-play");
    await play.locator(".ots-notice", { hasText: "The steps cannot be shown" }).getByText("The connection broke off.").waitFor();
    fails = false;
    await book.page.reload();
    await play.getByRole("button", { name: "Compare with the next Step", exact: true }).waitFor();
  });

  test("a server with one release offers no other, and a link to one says so", async () => {
    await book.page.goto(`${book.server.origin}/play/#step=2&go=1.27`);
    await at(2);
    const play = book.page.locator(".ots-play");
    await play.locator(".ots-status", { hasText: "The link names Go 1.27, which is not offered here" }).waitFor();
    assert.equal(await play.getByLabel("Release of Go to step on").isVisible(), false);
    assert.equal(hash(), "#step=2");
  });

  test("a page of two programs has one slider for both, and names them", async () => {
    const shorter = { ...STEPS, steps: STEPS.steps.slice(0, 3) };
    const programs = [
      { name: "old/main.go", go: "go1.26.8", steps: STEPS },
      { name: "new/main.go", go: "go1.26.8", steps: shorter },
    ];
    const page = stepPage({ schema: "checkalloc/steps-compared/1", programs });
    book.shared.page = (path) => (path === "/step.html" ? page : undefined);
    await book.page.goto(`${book.server.origin}/step.html#step=2`);
    const one = (name: string) =>
      book.page.getByRole("region", { name: `${name}, step by step` }).locator(".ots-steps-count");
    await one("old/main.go").getByText(`2 of ${LAST} `).waitFor();
    await one("new/main.go").getByText("2 of 3 ").waitFor();
    await book.page.getByRole("slider").fill("5");
    await one("old/main.go").getByText(`5 of ${LAST} `).waitFor();
    await one("new/main.go").getByText("3 of 3 ").waitFor();
    await book.page.keyboard.press("Home");
    await one("new/main.go").getByText("1 of 3 ").waitFor();
    assert.equal(hash(), "#step=1");
  });

  test("it plays to the end, and pauses", async () => {
    await open(`#step=${LAST - 2}`);
    await press("Play");
    await press("Pause");
    await press("Play");
    await at(LAST);
    await viewer().getByRole("button", { name: "Play" }).waitFor();
  });

  test("frames, an inlined call, the reason for an object, and garbage are drawn", async () => {
    const inlined = stepWhere((step) => step.stack.some((frame) => frame.inlined === "yes" && frame.slots.length > 2));
    await open(`#step=${inlined}`);
    const callee = viewer().locator(".ots-frame > .ots-frame.is-inlined");
    await callee.getByText("inlined: its variables are in its caller’s frame").waitFor();
    await viewer().locator(".ots-steps-line.is-now").getByText(/a \+ b|return c|func sum/).waitFor();

    const garbage = stepWhere((step) => step.heap.some((object) => object.garbage));
    const object = STEPS.steps[garbage - 1]!.heap.find((o) => o.garbage)!;
    await open(`#step=${garbage - 1}`);
    await book.page.reload();
    const drawn = viewer().locator(`.ots-mem-heap [data-id="${object.id}"]`);
    await drawn.locator(".ots-mem-reason").waitFor();
    assert.equal(await drawn.locator(".ots-mem-reason").textContent(), object.reason);
    await drawn.getByText(`line ${object.line}`).waitFor();
    await press("Next");
    await drawn.getByText("garbage").waitFor();
  });

  test("values are drawn as what they are in memory", async () => {
    const step = stepWhere(
      (s) => s.event === "line" && (STEPS.files["prog.go"]!.split("\n")[s.line - 1] ?? "").includes("p = nil"),
    );
    await open(`#step=${step}`);
    const slot = (name: string) =>
      viewer().locator(".ots-slot", {
        has: book.page.locator(".ots-slot-name > code", { hasText: new RegExp(`^${name}$`) }),
      });
    assert.equal(await slot("p").locator(".ots-mem-value").textContent(), "nil");
    assert.match((await slot("numbers").locator(".ots-mem-value").textContent()) ?? "", /^ptr → #\d+len 2cap 2$/);
    assert.match((await slot("value").locator(".ots-mem-value").textContent()) ?? "", /^type intdata /);
    assert.match((await slot("ages").locator(".ots-mem-value").textContent()) ?? "", /entries 1/);
  });

  test("each step is read out as the sentence that Go wrote", async () => {
    await open();
    await press("Next");
    const sentence = viewer().locator(".ots-steps-sentence");
    assert.equal(await sentence.textContent(), STEPS.steps[1]!.sentence);
    assert.equal(await sentence.getAttribute("aria-live"), "polite");
  });

  test("arrows lead from pointers to boxes beside each other, and on a phone labels stand for them", async () => {
    const step = stepWhere((s) => s.heap.length >= 2 && s.stack.length === 1);
    await open(`#step=${step}`);
    await viewer().locator(".ots-arrows > path").first().waitFor();
    const stack = await box(viewer().locator(".ots-mem-stack"));
    const heap = await box(viewer().locator(".ots-mem-heap"));
    assert.ok(heap.x > stack.x + stack.width);

    await book.page.setViewportSize({ width: 390, height: 844 });
    await book.page.waitForFunction(() => document.querySelector(".ots-arrows") === null);
    const wide = await book.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the page is ${wide} px wide`);
    await viewer().locator(".ots-pointer").first().getByText(/^→ /).waitFor();
  });

  for (const theme of ["light", "dark"] as const) {
    test(`its text can be read in the ${theme} theme`, async () => {
      await book.page.emulateMedia({ colorScheme: theme });
      for (const step of [stepWhere((s) => s.heap.length >= 2), stepWhere((s) => s.heap.some((o) => o.garbage))]) {
        await open(`#step=${step}`);
        await book.page.reload();
        await viewer().locator(".ots-object").first().waitFor();
        const { faint, seen } = await faintTexts(book.page, ".ots-steps");
        assert.deepEqual(faint, []);
        assert.ok(seen > 20, `only ${seen} texts`);
      }
    });
  }

  test("in forced colors the current line is marked, and no other", async () => {
    await book.page.emulateMedia({ forcedColors: "active" });
    await open("#step=3");
    const marked = await viewer().locator(".ots-steps-line").evaluateAll((lines) =>
      lines.filter((line) => getComputedStyle(line).outlineStyle === "solid").map((line) => line.className),
    );
    assert.equal(marked.length, 1);
    assert.match(marked[0]!, /\bis-now\b/);
    await book.page.emulateMedia({ forcedColors: null });
  });

  test("the count of a line stays in sight beside a line that is longer than the listing is wide", async () => {
    await open();
    await book.page.setViewportSize({ width: 320, height: 800 });
    const listing = await box(viewer().locator(".ots-steps-code"));
    const counts = viewer().locator(".ots-steps-allocs");
    assert.ok((await counts.count()) > 0, "a line allocates");
    for (const count of await counts.all()) {
      const { x, width } = await box(count);
      assert.ok(x >= listing.x && x + width <= listing.x + listing.width, `it is at ${x} px, ${width} px wide`);
    }
  });

  test("what is printed on paper is a strip of steps", async () => {
    await open("#step=3");
    await book.page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await book.page.emulateMedia({ media: "print" });
    const strip = viewer().locator(".ots-steps-strip > li");
    assert.equal(await strip.count(), Math.min(LAST, 24));
    assert.equal(await viewer().locator(".ots-steps-bar").isVisible(), false);
    assert.equal(await strip.first().isVisible(), true);
    const reasons = strip.getByText("chain cannot be inlined: marked go:noinline");
    assert.ok((await reasons.count()) > 0, "a strip has a function that cannot be inlined");
    for (const reason of await reasons.all()) assert.equal(await reason.isVisible(), true, "its reason is folded");
    await book.page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await strip.count(), 0);
  });

  test("a program of the book has steps with its listing, and its script is loaded only then", async () => {
    const fetched: string[] = [];
    book.page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
    await book.page.goto(book.url);
    const program = book.page.locator(".ots-program").first();
    const step = program.getByRole("button", { name: "Step", exact: true });
    await step.waitFor();
    assert.equal(fetched.some((path) => /\/step-\w+\.js$/.test(path)), false);
    await step.click();
    await at(1);
    await viewer().locator(".ots-steps-line.is-now").waitFor();
    // mdBook turns pages on arrow keys.
    const url = book.page.url();
    await book.page.keyboard.press("ArrowRight");
    await at(2);
    assert.equal(book.page.url(), url);
    assert.equal(fetched.some((path) => /\/step-\w+\.js$/.test(path)), true);
  });

  test("a figure of the book is text, and a button draws it", async () => {
    const items = STEPS.steps.map(({ sentence }) => `<li><code>code</code> ${escapeHTML(sentence)}</li>`).join("\n");
    const figure =
      `<div class="ots-program ots-stepped">${dataBlock(STEPS)}\n` +
      `<div class="ots-static"><ol>\n${items}\n</ol></div>\n</div>`;
    book.edit = (html) => html.replace("<h1>", `${figure}\n<h1>`);
    await book.page.goto(book.url);
    const list = book.page.locator(".ots-stepped ol");
    assert.equal(await list.locator("li").count(), LAST);
    assert.equal(await list.isVisible(), true);
    const draw = book.page.getByRole("button", { name: "Show the stack and the heap" });
    // On a phone the picture is higher than the window.
    for (const size of [PHONE, { width: 1440, height: 900 }]) {
      await book.page.setViewportSize(size);
      await book.page.reload();
      await draw.waitFor();
      await draw.evaluate((e) => scrollBy(0, e.getBoundingClientRect().top - innerHeight / 2));
      await draw.click();
      await at(1);
      assert.equal(await list.isVisible(), false);
      const next = await box(viewer().getByRole("button", { name: "Next", exact: true }));
      assert.ok(
        next.y >= 0 && next.y + next.height <= size.height,
        `Next is in a window of ${size.width} px, at ${next.y} px`,
      );
    }
    await press("Next");
    await at(2);
    assert.equal(hash(), "", "a page may have several figures, so its address names none");
  });

  test("the editor's page marks the line in the editor, and the address names the moment", async () => {
    await book.page.goto(`${book.server.origin}/play/`);
    const editor = book.page.locator(".cm-content");
    await editor.waitFor();
    await editor.focus();
    await book.page.keyboard.press("ControlOrMeta+a");
    await book.page.keyboard.insertText(STEPPED);
    await book.page.locator(".ots-play").getByRole("button", { name: "Step", exact: true }).click();
    await at(1);
    const marked = book.page.locator(".cm-line.ots-line-looked");
    await marked.first().waitFor();
    assert.equal(hash(), "#step=1");
    await press("Next");
    await at(2);
    assert.equal(hash(), "#step=2");
    // In a low window, the editor scrolls to the line.
    await book.page.setViewportSize({ width: 1000, height: 400 });
    await book.page.keyboard.press("End");
    await at(LAST);
    await book.page.waitForFunction(() => {
      const line = document.querySelector(".cm-line.ots-line-looked")?.getBoundingClientRect();
      const shown = document.querySelector(".cm-scroller")!.getBoundingClientRect();
      return line !== undefined && line.top >= shown.top && line.bottom <= shown.bottom;
    });
    await book.page.goto(`${book.server.origin}/play/#step=4`);
    await book.page.reload();
    await at(4);
  });

  test("a mistake in the program is shown at its line", async () => {
    await book.page.goto(`${book.server.origin}/play/`);
    const editor = book.page.locator(".cm-content");
    await editor.waitFor();
    await editor.focus();
    await book.page.keyboard.press("ControlOrMeta+a");
    await book.page.keyboard.insertText("package main\n\nmistake\n");
    await book.page.locator(".ots-play").getByRole("button", { name: "Step", exact: true }).click();
    await book.page.locator(".ots-notice", { hasText: "Does not compile" }).waitFor();
    assert.equal(await viewer().count(), 0);
  });
});
