// The workbook's pages in the order of SUMMARY.md, and its exercises.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Exercise {
  id: string;
  chapter: string;
  starter: Record<string, string>;
  solution: Record<string, string>;
}

/** Returns the pages' paths below /book/, in the order of the book. */
export async function pagesOf(root: string): Promise<string[]> {
  const summary = await readFile(join(root, "book/SUMMARY.md"), "utf8");
  return [...summary.matchAll(/\]\(([^)]+)\.md\)/g)].map((match) => `${match[1]!.replace(/README$/, "index")}.html`);
}

/** Returns all exercises that have a solution, by number. */
export async function exercisesOf(root: string): Promise<Exercise[]> {
  const ids = (await readdir(join(root, "solutions"))).filter((name) => /^exercise\d+$/.test(name));
  ids.sort((a, b) => Number(a.slice("exercise".length)) - Number(b.slice("exercise".length)));
  return Promise.all(
    ids.map(async (id) => {
      const manifest = await readFile(join(root, "exercises", id, "exercise.toml"), "utf8");
      const chapter = /^chapter\s*=\s*"([^"]+)"/m.exec(manifest)?.[1];
      if (!chapter) throw new Error(`exercises/${id}/exercise.toml names no chapter`);
      const names = (await readdir(join(root, "solutions", id))).filter((name) => name.endsWith(".go"));
      const texts = async (folder: string) =>
        Object.fromEntries(
          await Promise.all(
            names.map(async (name) => [name, await readFile(join(root, folder, id, name), "utf8")] as const),
          ),
        );
      return { id, chapter, starter: await texts("exercises"), solution: await texts("solutions") };
    }),
  );
}

/** Returns the path of the page that shows an exercise. */
export function pageOf({ chapter }: Exercise): string {
  return `${chapter}/exercises.html`;
}

/** Returns the starter of an exercise in a page's HTML, or null if the page does not show the exercise. */
export function starterOn(html: string, id: string): Record<string, string> | null {
  const block = new RegExp(`<section[^>]* id="${id}"[\\s\\S]*?class="ots-data">([\\s\\S]*?)</script>`).exec(html);
  return block ? (JSON.parse(block[1]!) as { files: Record<string, string> }).files : null;
}

/** Returns the first page whose HTML contains mark. */
export function firstWith(pages: Map<string, string>, mark: string): string {
  const found = [...pages].find(([, html]) => html.includes(mark));
  if (!found) throw new Error(`no page has ${mark}`);
  return found[0];
}
