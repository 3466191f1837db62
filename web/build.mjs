// Bundles the widgets into ../book/widgets, from where mdBook copies them.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { shareModules } from "./share-modules.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// The book's scripts are classic scripts: a page that was opened from a file cannot load modules, and the book should
// be readable that way too. The module of the editor's page uses the same editor bundle as the book.
const common = {
  bundle: true,
  minify: true,
  sourcemap: false,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
};

const sha256 = (data, encoding) => createHash("sha256").update(data).digest(encoding);

/** Bundles a script that another script contains as text. */
async function carried(entry) {
  const { outputFiles } = await build({ ...common, format: "iife", entryPoints: [here(entry)], write: false });
  return outputFiles[0].text.trim();
}

/**
 * The script of the sandbox frame. It is inline in the frame's document, which a script makes, so the policies of both
 * the frame and the page have its hash.
 */
export async function sandboxFrameScript() {
  const script = await carried("src/engine/sandbox/frame.ts");
  if (/<\/script|<!--/i.test(script))
    throw new Error("src/engine/sandbox/frame.ts would end the script element that it stands in");
  return { script, hash: `sha256-${sha256(script, "base64")}` };
}

/** The scripts that the engine starts: its worker, the sandbox frame, the supervisor, and a program's worker. */
async function engineScripts() {
  const frame = await sandboxFrameScript();
  return {
    SANDBOX_FRAME_SCRIPT: JSON.stringify(frame.script),
    SANDBOX_FRAME_HASH: JSON.stringify(frame.hash),
    SANDBOX_SUPERVISOR_SCRIPT: JSON.stringify(await carried("src/engine/sandbox/supervisor.ts")),
    SANDBOX_WORKER_SCRIPT: JSON.stringify(await carried("src/engine/sandbox/worker.ts")),
    ENGINE_WORKER_SCRIPT: JSON.stringify(await carried("src/engine/worker.ts")),
  };
}

/** Defines NAME_STYLE for a script that contains its style, so that only pages which load the script have it. */
async function carriedStyle(name) {
  const { outputFiles } = await build({ ...common, entryPoints: [here(`src/styles/${name}.css`)], write: false });
  return { [`${name.toUpperCase()}_STYLE`]: JSON.stringify(outputFiles[0].text.trim()) };
}

/** Where the page that "checkalloc step --html" writes has its script and its style: Go programs embed them. */
export const STEP_PAGE = here("../internal/present/html");

/**
 * Writes the files steps.js and steps.css of that page into outdir. They are in the repository; see "make generate".
 */
export async function buildStepPage(outdir = STEP_PAGE) {
  await build({
    ...common,
    format: "iife",
    entryPoints: [here("src/step/page-main.ts")],
    outfile: `${outdir}/steps.js`,
  });
  await build({ ...common, entryPoints: [here("src/styles/step-page.css")], outfile: `${outdir}/steps.css` });
}

/** Writes the service worker to outfile. files lists what it stores, as [path, hash, bytes]. */
export async function buildOffline(files, outfile) {
  await build({
    ...common,
    define: { FILES: JSON.stringify(files) },
    format: "iife",
    entryPoints: [here("src/offline/worker.ts")],
    outfile,
  });
}

/** Widgets that few pages have. A page gets ots-NAME.css if it has an element of this class: see lighten.mjs. */
const RARE = ["articles", "choices", "gctrace", "history", "predict"];

/**
 * Writes the scripts attempt, choices, deck, editor, engine, exercise, gctrace, join, onthestack, participant, plan,
 * play, predict, program, progress, room, solution and step, the styles onthestack, play and room, and those of RARE,
 * into outdir.
 */
export async function buildWidgets(outdir = here("../book/widgets")) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const versions = {};
  const script = (name, options) =>
    build({
      ...common,
      format: "iife",
      ...options,
      define: { BUNDLE_VERSIONS: JSON.stringify(versions), ...options.define },
      outfile: `${outdir}/${name}.js`,
    });
  // mdBook puts a hash into the names of the files it knows, not into those that src/bundles.ts loads:
  // a query string keeps a cached old one from meeting a new page.
  const bundle = async (name, options) => {
    await script(name, options);
    versions[name] = sha256(await readFile(`${outdir}/${name}.js`), "hex").slice(0, 6);
  };
  await bundle("editor", { entryPoints: [here("src/editor/main.ts")], define: await carriedStyle("editor") });
  await bundle("engine", { entryPoints: [here("src/engine/main.ts")], define: await engineScripts() });
  const shared = await shareModules(common, here("src/main.ts"), {
    program: here("src/program/main.ts"),
    predict: here("src/predict/main.ts"),
    choices: here("src/choices/main.ts"),
    gctrace: here("src/gctrace/main.ts"),
    progress: here("src/progress/main.ts"),
    solution: here("src/exercise/solution-main.ts"),
    exercise: here("src/exercise/main.ts"),
    attempt: here("src/exercise/attempt-main.ts"),
    participant: here("src/room/exercise-main.ts"),
  });
  shared.later.solution.define = await carriedStyle("solution");
  for (const [name, options] of Object.entries(shared.later)) await bundle(name, options);
  // The editor's page loads it too, which does not have the modules of the book's first script.
  await bundle("step", { entryPoints: [here("src/step/main.ts")], define: await carriedStyle("steps") });
  await script("onthestack", shared.first);
  await script("play", { entryPoints: [here("src/play/main.ts")], format: "esm" });
  for (const name of ["join", "room"]) {
    await script(name, { entryPoints: [here(`src/room/${name}-main.ts`)], format: "esm" });
  }
  for (const name of ["deck", "plan"]) {
    await script(name, { entryPoints: [here(`src/plan/${name}-main.ts`)], format: "esm" });
  }
  for (const name of ["onthestack.css", "play.css", "room.css"]) {
    await build({ ...common, entryPoints: [here(`src/styles/${name}`)], outfile: `${outdir}/${name}` });
  }
  for (const name of RARE) {
    await build({ ...common, entryPoints: [here(`src/styles/${name}.css`)], outfile: `${outdir}/ots-${name}.css` });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "step-page") await buildStepPage();
  else await buildWidgets();
}
