// Bundles the widgets into ../book/widgets, from where mdBook copies them.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { shareModules } from "./share-modules.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// The book's scripts are classic ones, not modules: a module cannot be loaded from a file:// page, and the book
// should also explain itself when it is opened from disk. The editor page's module shares the editor's bundle with the book.
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

/** Bundles a script that another one carries as a text. */
async function carried(entry) {
  const { outputFiles } = await build({ ...common, format: "iife", entryPoints: [here(entry)], write: false });
  return outputFiles[0].text.trim();
}

/** The script of the frame that programs run in. It stands in the frame's page, which is made by a script: its hash is in the policies of both. */
export async function sandboxFrameScript() {
  const script = await carried("src/engine/sandbox/frame.ts");
  if (/<\/script|<!--/i.test(script)) throw new Error("src/engine/sandbox/frame.ts would end the script element that it stands in");
  return { script, hash: `sha256-${sha256(script, "base64")}` };
}

/** The scripts that the engine starts: its worker, the frame in which programs run, its supervisor, and a program's worker. */
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

/** Writes the service worker that keeps files, a list of [path, hash, bytes], to outfile. */
export async function buildOffline(files, outfile) {
  await build({ ...common, define: { FILES: JSON.stringify(files) }, format: "iife", entryPoints: [here("src/offline/worker.ts")], outfile });
}

/** Writes the scripts editor, engine, exercise, onthestack, play, program, progress and solution, and the styles onthestack and play into outdir. */
export async function buildWidgets(outdir = here("../book/widgets")) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const versions = {};
  const script = (name, options) =>
    build({ ...common, format: "iife", ...options, define: { BUNDLE_VERSIONS: JSON.stringify(versions), ...options.define }, outfile: `${outdir}/${name}.js` });
  // mdBook puts a hash into the names of the files it knows, not into those that src/bundles.ts loads:
  // a query string keeps a cached old one from meeting a new page.
  const bundle = async (name, options) => {
    await script(name, options);
    versions[name] = sha256(await readFile(`${outdir}/${name}.js`), "hex").slice(0, 10);
  };
  await bundle("editor", { entryPoints: [here("src/editor/main.ts")] });
  await bundle("engine", { entryPoints: [here("src/engine/main.ts")], define: await engineScripts() });
  const shared = await shareModules(common, here("src/main.ts"), {
    program: here("src/program/main.ts"),
    progress: here("src/progress/main.ts"),
    solution: here("src/exercise/solution-main.ts"),
    exercise: here("src/exercise/main.ts"),
  });
  for (const [name, options] of Object.entries(shared.later)) await bundle(name, options);
  await script("onthestack", shared.first);
  await script("play", { entryPoints: [here("src/play/main.ts")], format: "esm" });
  for (const name of ["onthestack.css", "play.css"]) {
    await build({ ...common, entryPoints: [here(`src/styles/${name}`)], outfile: `${outdir}/${name}` });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWidgets();
