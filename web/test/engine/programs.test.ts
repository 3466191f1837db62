// Programs with benchmarks are explained, and programs are stepped through, in a page as elsewhere: with the figures of
// the command line, and with the documents that the book stores.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { EXAMPLES } from "../../src/play/examples.ts";
import type { Verdict } from "../../src/go/runner.ts";
import type { Steps } from "../../src/go/step.ts";
import { launchForEngine } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { PATH, tree } from "../site/site-below.ts";
import { sampleOf } from "../sample.ts";
import { StaticHost } from "../static-host.ts";
import { escapeIn, picturedIn, startEngine, stepIn } from "./page-engine.ts";

const run = promisify(execFile);

/** Returns what "checkalloc explain" says of a file of tests, in a new folder. */
async function explained(checkalloc: string, folder: string, text: string): Promise<Verdict> {
  await mkdir(folder);
  await writeFile(join(folder, "go.mod"), "module play\n\ngo 1.26\n");
  await writeFile(join(folder, "prog_test.go"), text);
  const told = await run(checkalloc, ["explain", "--json"], { cwd: folder, maxBuffer: 64 << 20 });
  return JSON.parse(told.stdout) as Verdict;
}

/** How many functions with known counts are one program: as many as the limit on steps admits. */
const TOGETHER = 12;

/**
 * Returns the files with the functions whose counts are known, as files of a main package, and the functions' names.
 */
async function counts(): Promise<{ files: Map<string, string>; functions: string[] }> {
  const folder = join(root, "internal/verdict/testdata/counts");
  const files = new Map<string, string>();
  const functions: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    if (name === "bench_test.go" || name === "called.go") continue; // what is called with a benchmark's arguments
    const text = await readFile(join(folder, name), "utf8");
    files.set(name, text.replace(/^package counts$/m, "package main"));
    functions.push(...[...text.matchAll(/^func ([A-Z]\w*)\(\)/gm)].map(([, name]) => name!));
  }
  return { files, functions };
}

/** Returns what a reader learns of the benchmarks from a verdict. */
const essence = (v: Verdict) => ({
  benchmarks: v.benchmarks.map((b) => [b.name, b.allocs_per_op, b.bytes_per_op]),
  allocations: v.allocations.map((a) => [a.benchmark, a.line, a.func, a.allocs_per_op, a.bytes_per_op, a.why]),
});

describe("programs in a page", () => {
  let host: StaticHost;
  let browser: Browser;
  let page: Page;
  let folder: string;
  let checkalloc: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "onthestack-programs-"));
    checkalloc = join(folder, "checkalloc");
    await run("go", ["build", "-trimpath", "-o", checkalloc, "./tools/checkalloc"], { cwd: root });
    host = await StaticHost.start(tree, PATH);
    browser = await launchForEngine();
    page = await browser.newPage();
    await page.goto(`${host.url}book/introduction.html`);
    await startEngine(page);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("benchmarks have the figures of the command line, line by line", async () => {
    const { text } = EXAMPLES.find(({ title }) => title === "Tests and benchmarks")!;
    const want = await explained(checkalloc, join(folder, "explained"), text);
    assert.ok(want.allocations.length >= 2);
    const outcome = await escapeIn(page, text);
    assert.ok(outcome.kind === "ok" && outcome.value.verdict, JSON.stringify(outcome));
    const verdict = outcome.value.verdict;
    assert.deepEqual(essence(verdict), essence(want));
    assert.deepEqual([verdict.engine, verdict.goos, verdict.pass], ["wasm", "js", true]);
    assert.deepEqual(new Set(verdict.allocations.map((a) => a.file)), new Set(["prog.go"]));
  });

  test("a program without a benchmark has no verdict", async () => {
    const outcome = await escapeIn(page, EXAMPLES[0]!.text);
    assert.ok(outcome.kind === "ok" && !outcome.value.verdict && outcome.value.escapes.length > 0);
  });

  test("the book's figures are the same, step by step", async () => {
    const folder = join(root, "book/measured/steps");
    const recorded = await readdir(folder);
    assert.ok(recorded.length >= 6);
    for (const name of sampleOf(recorded, 3, (name) => name)) {
      const { steps } = JSON.parse(await readFile(join(folder, name), "utf8"));
      const { outcome, pictures } = await picturedIn(page, steps.files["prog.go"]);
      assert.ok(outcome.kind === "ok", `${name}: ${JSON.stringify(outcome)}`);
      assert.deepEqual(outcome.value, steps, name);
      // The picture that came first has the same steps without the counts.
      const essence = ({ steps }: Steps) => steps.map(({ event, line, output }) => ({ event, line, output }));
      const [picture] = pictures as Steps[];
      assert.deepEqual([pictures.length, picture?.pending, picture?.lines], [1, true, []], name);
      assert.deepEqual(essence(picture!), essence(steps), name);
    }
  });

  test("programs with known counts have the objects of the command line, one by one", async () => {
    const stepped = join(folder, "stepped");
    await mkdir(stepped);
    const { files, functions } = await counts();
    assert.ok(functions.length >= 100);
    const groups: string[][] = [];
    while (functions.length > 0) groups.push(functions.splice(0, TOGETHER));
    for (const some of sampleOf(groups, 3, (some) => some.join())) {
      const calls = some.map((name) => `\t${name}()\n`).join("");
      files.set("prog.go", `package main\n\nfunc main() {\n\tanysSink = make([]any, 1)\n${calls}}\n`);
      await Promise.all([...files].map(([name, text]) => writeFile(join(stepped, name), text)));
      // One after the other: on a busy machine they would keep each other from ending in time.
      const told = await run(checkalloc, ["step", "--json", ...files.keys()], { cwd: stepped, maxBuffer: 64 << 20 });
      const outcome = await stepIn(page, [...files].map(([name, text]) => `-- ${name} --\n${text}`).join(""));
      assert.ok(outcome.kind === "ok", JSON.stringify(outcome));
      const [want, got] = [JSON.parse(told.stdout) as Steps, outcome.value as Steps];
      assert.deepEqual([want.unmeasured, want.cut, want.end.kind], ["", "", "returned"], some.join());
      assert.deepEqual(got.lines, want.lines);
      assert.deepEqual(got.steps.length, want.steps.length);
      for (const [n, step] of want.steps.entries()) {
        assert.deepEqual(got.steps[n], step, `${some.join()}, step ${n + 1}`);
      }
    }
  });

  test("a program that never ends, one that panics and one that does not compile are told apart", async () => {
    const programs: [string, string, RegExp][] = [
      ["steps", "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n", /^$/],
      ["panicked", 'package main\n\nfunc main() {\n\tpanic("no cups")\n}\n', /^$/],
      ["", "package main\n\nfunc main() { x() }\n", /undefined: x/],
    ];
    for (const [end, body, errors] of programs) {
      const outcome = await stepIn(page, body);
      assert.ok(outcome.kind === "ok");
      const document = outcome.value as { end: { kind: string }; errors: string };
      assert.deepEqual(document.end.kind, end);
      assert.match(document.errors, errors);
    }
  });
});
