// The files of a solution or a program, as texts.

/** Texts by the name of their file. */
export type Files = Record<string, string>;

/** Returns a short hash of files (FNV-1a over names and texts), to detect changes. */
export function hashFiles(files: Files): string {
  const text = JSON.stringify(
    Object.keys(files)
      .sort()
      .map((name) => [name, files[name]]),
  );
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    h ^= text.charCodeAt(i);
    h = Math.imul(h, 0x01000193);
  }
  return (h >>> 0).toString(16).padStart(8, "0");
}

/** Reports whether names and texts are equal. */
export function sameFiles(a: Files, b: Files): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
