// Lets classic scripts use the modules of a script that runs before them, as esbuild's code splitting does for ES
// modules.
import { relative, resolve } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;

/**
 * Returns esbuild's options for a script that runs first and for scripts that may be loaded later. Modules of the first
 * that a later one needs too are in the first only, which provides them in globalThis.onthestackModules.
 * @param options esbuild's options for all of them
 * @param first the path of the first script's entry point
 * @param later the paths of the other entry points, by name
 */
export async function shareModules(options, first, later) {
  const inFirst = await modulesOf(options, first);
  const inLater = new Set((await Promise.all(Object.values(later).map((entry) => modulesOf(options, entry)))).flat());
  const shared = inFirst.filter((path) => inLater.has(path));
  const exports = await exportsOf(shared);

  const key = (path) => JSON.stringify(relative(here, path));
  const plugin = {
    name: "onthestackModules",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const found = resolve(resolveDir, path);
        return exports.has(found) ? { path: found, namespace: "onthestackModules" } : undefined;
      });
      onLoad({ filter: /^/, namespace: "onthestackModules" }, ({ path }) => ({
        contents: `export const { ${exports.get(path).join(", ")} } = globalThis.onthestackModules[${key(path)}];`,
      }));
    },
  };
  const imports = shared.map((path, i) => `import * as m${i} from ${JSON.stringify(path)};\n`).join("");
  const table = shared.map((path, i) => `${key(path)}: m${i}`).join(", ");
  const contents = `${imports}import ${JSON.stringify(first)};\nglobalThis.onthestackModules = { ${table} };`;
  const entries = Object.entries(later);
  return {
    first: { stdin: { contents, resolveDir: here } },
    later: Object.fromEntries(entries.map(([name, entry]) => [name, { entryPoints: [entry], plugins: [plugin] }])),
  };
}

/** Lists the modules of a script from which any code remains after tree shaking. */
async function modulesOf(options, entry) {
  const { metafile } = await build({ ...options, entryPoints: [entry], write: false, metafile: true });
  const [{ inputs }] = Object.values(metafile.outputs);
  return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0).map((path) => resolve(path));
}

/** Lists what each module exports. */
async function exportsOf(modules) {
  const { metafile } = await build({ entryPoints: modules, outdir: here, write: false, metafile: true });
  return new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [resolve(entryPoint), exports]));
}
