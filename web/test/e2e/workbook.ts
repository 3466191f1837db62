// The workbook's pages in the order of SUMMARY.md, and its exercises.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export interface Exercise {
  id: string;
  chapter: string;
  /** The path below /book/ of the page that shows it. */
  page: string;
  starter: Record<string, string>;
  solution: Record<string, string>;
  /** Whether the starter passes, because it is to be left alone. */
  leave: boolean;
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
      const edit = /^edit\s*=\s*\[([^\]]*)\]/m.exec(manifest)?.[1] ?? "";
      const names = [...edit.matchAll(/"([^"]+)"/g)].map((m) => m[1]!);
      const texts = async (folder: string) =>
        Object.fromEntries(
          await Promise.all(
            names.map(async (name) => [name, await readFile(join(root, folder, id, name), "utf8")] as const),
          ),
        );
      const page = await pageWith(`{{#exercise ${id}}}`, join(root, "book", chapter));
      if (!page) throw new Error(`no page of book/${chapter} has {{#exercise ${id}}}`);
      const [starter, solution] = await Promise.all([texts("exercises"), texts("solutions")]);
      const leave = /^leave\s*=\s*true/m.test(manifest);
      return { id, chapter, page: `${chapter}/${page}`, starter, solution, leave };
    }),
  );
}

/** Returns the name of the built page whose text contains a directive, or null. */
async function pageWith(directive: string, folder: string): Promise<string | null> {
  for (const name of (await readdir(folder)).filter((name) => name.endsWith(".md")).sort()) {
    if ((await readFile(join(folder, name), "utf8")).includes(directive))
      return name.replace(/^README/, "index").replace(/md$/, "html");
  }
  return null;
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
