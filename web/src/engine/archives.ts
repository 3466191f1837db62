// Reads the pack of the standard library's compiled packages, which tools/engine writes.

import { PackHeader } from "../go/engine.ts";
import { read } from "../json.ts";

/** Writes the archives of a pack as files, which are views of the pack, and lists them. */
export function readArchives(
  pack: Uint8Array<ArrayBuffer>,
  write: (file: string, bytes: Uint8Array<ArrayBuffer>) => void,
): { path: string; file: string }[] {
  const end = pack.indexOf(10);
  const header = read(PackHeader, JSON.parse(new TextDecoder().decode(pack.subarray(0, end))));
  let at = end + 1;
  return (header?.packages ?? []).map(({ path, size }) => {
    if (path === "" || size === 0) throw new Error("the pack of compiled packages is broken: build the site again");
    const file = `/std/${path}.a`;
    write(file, pack.subarray(at, (at += size)));
    return { path, file };
  });
}
