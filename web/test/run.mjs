// Bundles the tests, because Node does not run TypeScript, and passes them to Node's test runner.
// The first arguments name folders of tests, or files as FOLDER/NAME; !FOLDER/NAME leaves a file out. Arguments that
// begin with a dash are passed on:
//   npm test -- --test-name-pattern=hint
// OTS_ROOT tells tests where the repository is, and OTS_BOOK where the widgets are that were built for this run.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildWidgets } from "../build.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("-"));
const asked = process.argv.slice(2).filter((arg) => !arg.startsWith("-") && !arg.startsWith("!"));
const left = process.argv
  .slice(2)
  .filter((arg) => arg.startsWith("!"))
  .map((arg) => `${arg.slice(1)}.test.ts`);
const folders = asked.map((arg) => arg.split("/")[0]);
const outdir = here(`../node_modules/.cache/tests/${asked.join("-").replaceAll("/", "-")}`);

const names = [];
for (const arg of asked) {
  const [folder, file] = arg.split("/");
  const found = (await readdir(here(folder)))
    .filter((name) => (file ? name === `${file}.test.ts` : name.endsWith(".test.ts")))
    .sort();
  if (found.length === 0) throw new Error(`web/test/${arg}: there is no *.test.ts to run`);
  names.push(...found.map((name) => `${folder}/${name}`).filter((name) => !left.includes(name)));
}
if (names.length === 0) throw new Error("web/test/run.mjs: name a folder of tests, such as unit");
await rm(outdir, { recursive: true, force: true });
await build({
  entryPoints: names.map((name) => here(name)),
  outdir,
  outbase: here("."),
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  outExtension: { ".js": ".mjs" },
  sourcemap: "inline",
  logLevel: "warning",
});
await buildWidgets(`${outdir}/book/widgets`);
const files = names.map((name) => `${outdir}/${name.replace(/\.ts$/, ".mjs")}`);
const options = [
  "--enable-source-maps",
  "--test",
  "--test-reporter=spec",
  "--test-reporter-destination=stdout",
  ...flags,
];
// For the summary of "make test": see tools/testsummary.
if (process.env.TEST_RESULTS)
  options.push(
    "--test-reporter=junit",
    `--test-reporter-destination=${process.env.TEST_RESULTS}/node-${process.pid}.xml`,
  );
// Two files run in parallel, even if Node would run them one by one. Programs in a page wait for their time limit in
// many tests of the engine. Benchmarks run one by one, because they time what they do.
options.push(`--test-concurrency=${folders.includes("bench") ? 1 : 2}`);
const { status } = spawnSync(process.execPath, [...options, ...files], {
  stdio: "inherit",
  env: { ...process.env, OTS_ROOT: here("../../"), OTS_BOOK: `${outdir}/book` },
});
process.exit(status ?? 1);
