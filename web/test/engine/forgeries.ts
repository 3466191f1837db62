// The forgeries of internal/verdict: solutions that try to pass without solving the exercise.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../e2e/site.ts";
import type { Exercise } from "../e2e/workbook.ts";

export interface Forgery {
  name: string;
  /** The stage that rejects it. */
  want: string;
  /** The exercise that it is for; "" if it is for any exercise with the function Replace. */
  exercise: string;
  /** Whether it does not end. */
  hangs: boolean;
  files: Record<string, string>;
}

/** Returns all forgeries, renamed to the exercise's package and to the file that its solver edits. */
export async function forgeriesOf({ starter }: Exercise): Promise<Forgery[]> {
  const folder = join(root, "internal/verdict/testdata/forgeries");
  const edited = Object.keys(starter)[0]!;
  const name = /^package (\w+)/m.exec(starter[edited]!)![1]!;
  return Promise.all(
    (await readdir(folder)).sort().map(async (file) => {
      const [comment, ...rest] = (await readFile(join(folder, file), "utf8")).split(/^-- (.+) --\n/m);
      const setting = (key: string) => new RegExp(`^${key}(?:: (.*))?$`, "m").exec(comment!);
      const files: Record<string, string> = {};
      for (let i = 0; i < rest.length; i += 2) {
        let text = rest[i + 1]!;
        const nest = Number(setting("nest")?.[1] ?? 0);
        text = text.replaceAll("NEST", "(".repeat(nest) + "1" + ")".repeat(nest));
        if (setting("crlf")) text = text.replaceAll("\n", "\r\n");
        if (setting("bom")) text = text.replaceAll("package stream", "\uFEFFpackage stream");
        text = text.replaceAll(/^(\uFEFF?package )stream(_test)?(\r?)$/gm, `$1${name}$2$3`);
        files[
          rest[i]! === "solution.go"
            ? edited
            : rest[i]! === "stream_test.go"
              ? edited.replace(".go", "_test.go")
              : rest[i]!
        ] = text;
      }
      return {
        name: file.replace(".txtar", ""),
        want: setting("want")?.[1] ?? "",
        exercise: setting("exercise")?.[1] ?? "",
        hangs: !!setting("hangs"),
        files,
      };
    }),
  );
}
