// Bundles the widgets into ../book/widgets, from where mdBook copies them.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// The book's scripts are classic ones, not modules: a module cannot be loaded from a file:// page, and the book
// should also explain itself when it is opened from disk. The editor page comes from the runner only; its module
// shares the editor's bundle with the book.
const common = {
  bundle: true,
  minify: true,
  sourcemap: false,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
};

/** Writes editor.js, onthestack.js and onthestack.css, play.js and play.css into outdir. */
export async function buildWidgets(outdir = here("../book/widgets")) {
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  await build({
    ...common,
    format: "iife",
    entryPoints: [here("src/editor/main.ts")],
    outfile: `${outdir}/editor.js`,
  });
  // mdBook puts a hash into the names of the files it knows, not into this one's:
  // a query string keeps a cached old editor from meeting a new page.
  const editor = await readFile(`${outdir}/editor.js`);
  const version = createHash("sha256").update(editor).digest("hex").slice(0, 10);
  const define = { EDITOR_VERSION: JSON.stringify(version) };
  await build({ ...common, define, format: "iife", entryPoints: [here("src/main.ts")], outfile: `${outdir}/onthestack.js` });
  await build({ ...common, define, format: "esm", entryPoints: [here("src/play/main.ts")], outfile: `${outdir}/play.js` });
  for (const name of ["onthestack.css", "play.css"]) {
    await build({ ...common, entryPoints: [here(`src/styles/${name}`)], outfile: `${outdir}/${name}` });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWidgets();
