import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

/** The path in an import, an export or a call of import(), also of types alone. */
const IMPORT = /(?:\bfrom|\bimport\(|^import)\s*"(\.[^"]+)"/gm;

test("no file of the pages' scripts imports itself by way of others", async () => {
  const src = join(process.env["OTS_ROOT"]!, "web/src");
  const imports = new Map<string, string[]>();
  for (const name of (await readdir(src, { recursive: true })).filter((name) => name.endsWith(".ts"))) {
    const text = await readFile(join(src, name), "utf8");
    imports.set(name, [...text.matchAll(IMPORT)].map(([, path]) => join(name, "..", path!)));
  }
  assert.ok(imports.get("main.ts")!.includes("exercise/upgrade.ts"), "a part that is loaded later is an import, too");
  const circles: string[] = [];
  const over = new Set<string>();
  const visit = (name: string, from: string[]): void => {
    const at = from.indexOf(name);
    if (at >= 0) circles.push([...from.slice(at), name].join(" → "));
    if (at >= 0 || over.has(name)) return;
    const imported = imports.get(name);
    assert.ok(imported, `${from.at(-1)} imports ${name}, which is not there`);
    for (const other of imported) visit(other, [...from, name]);
    over.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
  assert.deepEqual(circles, []);
});
