// Bundles the widgets into ../book/widgets, from where mdBook copies them.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

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
    define: { STEPS_STYLE: '""' },
    entryPoints: [here("src/step/page.ts")],
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

/** A part that one of the next ones loads later. */
const LATE = { find: "src/editor/find.ts" };
/** The large parts that scripts load later, by name. Each is one file, so that several scripts can share it. */
const SHARED = {
  editor: "src/editor/editor.ts",
  engine: "src/engine/find.ts",
  poll: "src/room/poll.ts",
  polls: "src/room/polls.ts",
  step: "src/step/pair.ts",
};
/** The script of the book's pages, which also loads parts that only it has. */
const BOOK = { onthestack: "src/core.ts" };
/** The scripts of other pages. */
const OTHERS = {
  play: "src/play/main.ts",
  join: "src/room/join.ts",
  room: "src/room/room.ts",
  deck: "src/plan/deck.ts",
  plan: "src/plan/plan.ts",
};

/** Where the site and the book have the scripts from. */
export const WIDGETS = here("../book/widgets");

/** The list of the scripts, which is written last. */
const SCRIPTS = "scripts.json";

/**
 * Writes the pages' scripts, the styles onthestack, play and room, and the styles of RARE, into outdir. Scripts are
 * named by their content, so that a cached old one never meets a new page. The file scripts.json has, for each page's
 * script and for each part that a script loads later, the files to fetch: its own and the files that it imports.
 */
export async function buildWidgets(outdir = WIDGETS) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const carried = ["again", "editor", "find", "message", "poll", "shared", "solution", "steps"];
  const styles = await Promise.all(carried.map(carriedStyle));
  const define = Object.assign(await engineScripts(), ...styles);
  const scripts = async (entries, options) => {
    const { metafile } = await build({
      ...common,
      define,
      absWorkingDir: here("."),
      format: "esm",
      entryPoints: Object.entries(entries).map(([out, entry]) => ({ in: entry, out })),
      entryNames: "[name]-[hash]",
      chunkNames: "[name]-[hash]",
      metafile: true,
      outdir,
      ...options,
    });
    return filesOf(metafile, entries);
  };
  const late = await scripts(LATE);
  const shared = await scripts(SHARED, { plugins: [sharing(LATE, late)] });
  const plugins = [sharing(SHARED, shared)];
  const book = await scripts(BOOK, { plugins, splitting: true, inject: Object.values(BOOK) });
  // The entry point only imports the file that it shares with the parts, so pages load that file.
  await rm(`${outdir}/${book.onthestack.shift()}`);
  const others = await scripts(OTHERS, { plugins });
  for (const name of ["onthestack.css", "play.css", "room.css"]) {
    await build({ ...common, entryPoints: [here(`src/styles/${name}`)], outfile: `${outdir}/${name}` });
  }
  for (const name of RARE) {
    await build({ ...common, entryPoints: [here(`src/styles/${name}.css`)], outfile: `${outdir}/ots-${name}.css` });
  }
  await writeFile(`${outdir}/${SCRIPTS}`, JSON.stringify({ ...late, ...shared, ...book, ...others }));
}

/** The parts that a page's script loads at once, by the beginning of the class that an element of the page then has. */
const AT_ONCE = {
  "ots-predict": "src/predict/predict.ts",
  "ots-choices": "src/choices/choices.ts",
  "ots-gctrace": "src/gctrace/gctrace.ts",
  'ots-program"': "src/program/program.ts",
  "ots-program ots-stepped": "src/step/figure.ts",
};

/**
 * Returns the tags that load the script of a page of the book. They preload the files that the script imports or
 * loads at once, so that no request waits for another one. folder is where the scripts are, as the page names it.
 */
export function moduleTags(page, folder) {
  const scripts = JSON.parse(readFileSync(`${WIDGETS}/${SCRIPTS}`, "utf8"));
  const parts = Object.entries(AT_ONCE).filter(([name]) => page.includes(`class="${name}`));
  const [script, ...preloaded] = new Set(["onthestack", ...parts.map(([, part]) => part)].flatMap((n) => scripts[n]));
  return (
    preloaded.map((file) => `<link rel="modulepreload" href="${folder}${file}">`).join("") +
    `<script type="module" src="${folder}${script}"></script>`
  );
}

/** Returns a plugin for esbuild that leaves the loading of a shared part to the browser. */
function sharing(entries, built) {
  const files = new Map(Object.entries(entries).map(([name, entry]) => [here(entry), `./${built[name][0]}`]));
  return {
    name: "shared parts",
    setup({ onResolve }) {
      onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
        const file = kind === "dynamic-import" && files.get(join(resolveDir, path));
        return file ? { path: file, external: true } : undefined;
      });
    },
  };
}

/** Returns the files of each script that is loaded by itself, by the name of a page or the path of a part. */
function filesOf({ outputs }, entries) {
  const files = (path) => [
    path,
    ...outputs[path].imports.filter(({ kind }) => kind === "import-statement").flatMap((i) => files(i.path)),
  ];
  const names = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [entry, name]));
  const loaded = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  return Object.fromEntries(
    loaded.map(([path, { entryPoint }]) => [
      names[entryPoint] ?? entryPoint,
      [...new Set(files(path))].map((file) => basename(file)),
    ]),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === "step-page") await buildStepPage();
  else await buildWidgets();
}
