// Lets one classic script use modules of another that runs before it, as code splitting does for ES modules.
import { relative, resolve } from "node:path";
import { build } from "esbuild";

/**
 * Returns esbuild's options for two scripts. The first has the modules that both need, and sets globalThis.onthestackModules, from
 * which the second takes them.
 * @param options esbuild's options that both scripts have
 * @param first the path of the first script's entry point
 * @param second the path of the second script's
 */
export async function shareModules(options, first, second) {
  const modulesOf = async (entry) => {
    const { metafile } = await build({ ...options, entryPoints: [entry], write: false, metafile: true });
    const [{ inputs }] = Object.values(metafile.outputs);
    return Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0).map((path) => resolve(path));
  };
  const [inFirst, inSecond] = [await modulesOf(first), await modulesOf(second)];
  const shared = inFirst.filter((path) => inSecond.includes(path));
  const { metafile } = await build({ entryPoints: shared, outdir: import.meta.dirname, write: false, metafile: true });
  const exports = new Map(Object.values(metafile.outputs).map(({ entryPoint, exports }) => [resolve(entryPoint), exports.join(", ")]));
  const name = (path) => JSON.stringify(relative(import.meta.dirname, path));
  const provide = shared.map((path, i) => `import * as m${i} from ${JSON.stringify(path)};`).join("\n");
  const table = shared.map((path, i) => `${name(path)}: m${i}`).join(", ");
  return {
    first: { stdin: { contents: `${provide}\nimport ${JSON.stringify(first)};\nglobalThis.onthestackModules = { ${table} };`, resolveDir: import.meta.dirname } },
    second: {
      entryPoints: [second],
      plugins: [
        {
          name: "onthestackModules",
          setup({ onResolve, onLoad }) {
            onResolve({ filter: /^\./ }, ({ path, resolveDir }) =>
              shared.includes(resolve(resolveDir, path)) ? { path: resolve(resolveDir, path), namespace: "onthestackModules" } : undefined,
            );
            onLoad({ filter: /^/, namespace: "onthestackModules" }, ({ path }) => ({
              contents: `export const { ${exports.get(path)} } = globalThis.onthestackModules[${name(path)}];`,
            }));
          },
        },
      ],
    },
  };
}
