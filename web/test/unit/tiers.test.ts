// A test that make proof runs on a sample runs on all cases in make nightly.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

const root = process.env["OTS_ROOT"]!;

test("make nightly runs each file of tests that uses a sample", async () => {
  const { scripts } = JSON.parse(await readFile(join(root, "web/package.json"), "utf8")) as {
    scripts: { nightly: string };
  };
  const nightly = scripts.nightly.split(" ").slice(2);
  const samples: string[] = [];
  for (const folder of ["browser", "e2e", "engine", "site"]) {
    for (const name of await readdir(join(root, "web/test", folder))) {
      if (!name.endsWith(".test.ts")) continue;
      const text = await readFile(join(root, "web/test", folder, name), "utf8");
      if (!/\b(sampled|sampleOf|oneOfEach|launchForEngine)\b/.test(text)) continue;
      samples.push(`${folder}/${name.replace(".test.ts", "")}`);
    }
  }
  assert.ok(samples.length >= 5, samples.join());
  assert.deepEqual(
    samples.filter((name) => !nightly.includes(name)),
    [],
  );
});
