// Hostile programs and solutions, which a page must survive: engine/hostile.test.ts and nightly/hostile.test.ts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchForEngine } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { StaticHost } from "../static-host.ts";
import { forgeriesOf } from "./forgeries.ts";
import { bombs, programs, type Hostile, type Shown } from "./hostile-programs.ts";
import { checkIn, runIn, startEngine } from "./page-engine.ts";

/** Text that no answer may contain: addresses of the site and its parts, and folders of the build. */
const PLACES = /https?:|blob:|127\.0\.0\.1|\/tmp\/|\$WORK|\/std\/|\/root\/|\/usr\/|wasm-function|\.wasm/;

/**
 * Names of a program and a solution for each limit, and for each kind of thing that does not belong to a program. make
 * proof tests these, and make nightly all others.
 */
const oneOfEach = new Set([
  "loops",
  "deadlocks",
  "prints without end",
  "allocates without end",
  "recurses without end",
  "exits with 3",
  "closes all that is open",
  "fills the disk",
  "reaches for JavaScript",
  "cgo",
  "too large",
  "deep nesting",
  "a constant that doubles",
  "generics that explode",
  "a solution that loops after it has printed",
  "a solution that prints without end",
  "a solution that allocates without end",
  "a solution that panics",
]);

/**
 * Defines tests in which a page survives hostile programs, solutions and forgeries: with quick one of each kind, of the
 * forgeries the first for each stage; otherwise all others.
 */
export function testHostile(quick: boolean): void {
  const missing = new Set(oneOfEach);
  let host: StaticHost;
  let browser: Browser;
  let page: Page;
  let exercise: Exercise;
  before(async () => {
    exercise = (await exercisesOf(root)).find(({ id }) => id === "exercise6")!; // which the forgeries are about
    host = await StaticHost.start(tree, PATH);
    browser = await launchForEngine();
    page = await browser.newPage();
    await page.goto(`${host.url}book/introduction.html`);
    await startEngine(page);
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
  });

  /** Checks that the next program runs, which takes a quarter of the time of a check. */
  const runs = async (): Promise<void> => {
    const { outcome } = await runIn(page, 'package main\n\nfunc main() { println("next") }\n');
    assert.ok(outcome.kind === "ok" && outcome.value.events[0]?.message === "next\n", JSON.stringify(outcome));
  };
  /** Checks that the next check gives the right verdict. */
  const works = async (): Promise<void> => {
    const { outcome } = await checkIn(page, exercise.id, exercise.solution);
    assert.ok(outcome.kind === "ok" && outcome.value.pass, `the next check: ${JSON.stringify(outcome)}`);
  };

  for (const hostile of [...programs, ...bombs].filter(({ name }) => oneOfEach.has(name) === quick)) {
    missing.delete(hostile.name);
    test(`a program: ${hostile.name}`, async () => {
      const { outcome, took } = await runIn(page, hostile.body);
      await runs();
      const shown: Shown = { errors: "", printed: "", status: 0 };
      if (outcome.kind === "ok") {
        shown.errors = outcome.value.errors;
        shown.printed = outcome.value.events.map((e) => e.message).join("");
        shown.status = outcome.value.status;
      } else if (outcome.kind === "refused") {
        shown.errors = outcome.message;
      }
      const words =
        `${took.toFixed(0)} ms, status ${shown.status}: ${JSON.stringify(shown.errors.slice(0, 300))} ` +
        JSON.stringify(shown.printed.slice(0, 500));
      assert.ok(
        hostile.endings.some((ending) => isLike(shown, ending)),
        words,
      );
      assert.doesNotMatch(shown.errors + shown.printed, PLACES);
    });
  }

  test("the next check after these programs", works);

  const inside = (code: string, ...imports: string[]): Record<string, string> => {
    const [name, text] = Object.entries(exercise.starter)[0]!;
    const at = text.indexOf("{\n", text.indexOf("\nfunc ")) + 2;
    return {
      [name]: (text.slice(0, at) + code + "\n" + text.slice(at)).replace(
        '"io"',
        ['"io"', ...imports.map((path) => `"${path}"`)].join("\n\t"),
      ),
    };
  };
  for (const [name, code, imports, stage, words] of [
    [
      "loops after it has printed",
      "println(1); for { }",
      [],
      "tests",
      /the tests did not come to an end: the program ran longer than 24s and was stopped\n1\n/,
    ],
    [
      "prints without end",
      "for { println(`a long line of output, a long line of output`) }",
      [],
      "tests",
      /printed more than 1 MiB and was stopped\na long line/,
    ],
    ["prints tiny pieces without end", "for { print(1) }", [], "tests", /printed more than 1 MiB and was stopped/],
    ["allocates without end", "for b := []byte{1}; ; b = append(b, b...) { }", [], "tests", /out of memory/],
    [
      "recurses without end",
      "Replace(data, find, repl, output)",
      [],
      "tests",
      /recursed too deep and was stopped|goroutine stack exceeds/,
    ],
    ["deadlocks", "select {}", [], "tests", /all goroutines are asleep - deadlock!/],
    ["panics", "output = nil", [], "tests", /Replace panics/],
    ["sleeps for ever", "time.Sleep(time.Hour)", ["time"], "policy", /import "time" is not allowed here/],
    ["exits", "os.Exit(0)", ["os"], "policy", /import "os" is not allowed here/],
    ["ends its goroutine", "runtime.Goexit()", ["runtime"], "policy", /import "runtime" is not allowed here/],
  ] as const) {
    if (oneOfEach.has(`a solution that ${name}`) !== quick) continue;
    missing.delete(`a solution that ${name}`);
    test(`a solution that ${name}`, async () => {
      const { outcome } = await checkIn(page, exercise.id, inside(code, ...imports));
      await works();
      assert.ok(outcome.kind === "ok", JSON.stringify(outcome));
      const { value } = outcome;
      const said = [value.tests.output, ...value.errors.map((e) => e.message)].join("\n");
      assert.deepEqual([value.pass, value.stage], [false, stage], said);
      assert.match(said, words);
      assert.doesNotMatch(said, PLACES);
    });
  }

  if (quick) assert.deepEqual([...missing], [], "no program or solution has this name");

  test("no forgery passes", async () => {
    const exercises = await exercisesOf(root);
    const all = (await forgeriesOf(exercise)).filter((f) => !f.hangs);
    assert.ok(all.length >= 40, `${all.length} forgeries`);
    const first = new Set(["policy", "build", "tests", "benchmark"].map((stage) => all.find((f) => f.want === stage)));
    const forgeries = all.filter((f) => first.has(f) === quick);
    const wrong: string[] = [];
    for (const { name, want, files, exercise: named } of forgeries) {
      const { outcome } = await checkIn(page, named || exercise.id, files);
      if (named) assert.ok(exercises.some((e) => e.id === named));
      // A source that is too large gets no verdict.
      const stage =
        outcome.kind === "ok"
          ? outcome.value.pass
            ? "passed"
            : outcome.value.stage
          : outcome.kind === "refused"
            ? outcome.message
            : outcome.kind;
      if (stage !== want && !(name === "deep" && /larger than 64 KiB/.test(stage)))
        wrong.push(`${name}: ${stage}, not ${want}`);
    }
    assert.deepEqual(wrong, []);
    await works();
  });
}

function isLike(shown: Shown, { errors, printed, status = 0 }: Hostile["endings"][number]): boolean {
  return (
    shown.status === status &&
    (errors ? errors.test(shown.errors) : shown.errors === "") &&
    (!printed || printed.test(shown.printed))
  );
}
