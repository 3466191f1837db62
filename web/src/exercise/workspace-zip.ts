// The reader's work as a workspace of checkalloc, in a zip file: what "checkalloc init" writes, for the exercises that
// the reader has begun. The package workspace of tools/checkalloc reads it.

import { strToU8, zipSync, type Zippable } from "fflate";
import { el } from "../dom.ts";
import type { Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import { FILE_NAME, writeProgress } from "../progress/file.ts";
import { ProgressStore } from "../progress/progress-store.ts";
import { hasRepository } from "../site-root.ts";
import type { Store } from "../store.ts";
import { fetchFiles } from "./data.ts";

/** The workspace's folder in the zip file. */
const FOLDER = "on-the-stack";

/** The module path of a workspace, by which tests import the solver's package. */
const GO_MOD = "module onthestack\n\ngo 1.26.0\n";

const inClone = (exercise: string) => `In a clone of the repository, check it with its path:

    go run ./tools/checkalloc --dir PATH/${FOLDER} ${exercise}

In the clone, "go install ./tools/checkalloc" installs the checker. `;

const INSTALL = `The checker, checkalloc, is in the workbook's repository, where "go install ./tools/checkalloc" installs it. `;

const readme = (exercise: string) => `Your work on the exercises of On the Stack

This folder is a workspace of checkalloc. Unpack it anywhere outside the repository.

${hasRepository() ? inClone(exercise) : INSTALL}With checkalloc installed, check it from here:

    checkalloc ${exercise}

"checkalloc init ." adds the exercises that you have not started. It changes none of your files.
`;

/** Downloads the reader's work. files is the text in the editor. Resolves to words about what was downloaded. */
export async function downloadWork(data: ExerciseData, files: Files, store: Store): Promise<string> {
  const ids = data.all.some((e) => e.exercise === data.exercise)
    ? data.all.map((e) => e.exercise)
    : [data.exercise, ...data.all.map((e) => e.exercise)];
  const progress = new ProgressStore(store, ids);
  const begun: Record<string, Files> = {};
  for (const id of ids) {
    const edited = id === data.exercise ? files : progress.of(id)?.files;
    if (edited) begun[id] = { ...(await unedited(id)), ...edited };
  }
  const zip = zipSync({ [FOLDER]: workspace(data.exercise, begun, writeProgress(progress.progress(new Date()))) });
  const href = URL.createObjectURL(new Blob([zip], { type: "application/zip" }));
  el("a", { href, download: `${FOLDER}.zip` }).click();
  // The URL must stay valid until the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  const n = Object.keys(begun).length;
  return `${FOLDER}.zip has ${n === 1 ? "this exercise" : `the ${n} exercises that you have started`}`;
}

/** Resolves to the files of an exercise that the solver does not edit. */
async function unedited(exercise: string): Promise<Files> {
  try {
    return (await fetchFiles(`widgets/exercises/${exercise}.tests.json`))?.files ?? {};
  } catch {
    throw new Error(
      `The tests of ${exercise} could not be fetched. Offline, they are available only if the browser keeps the ` +
        "workbook's pages.",
    );
  }
}

function workspace(exercise: string, begun: Record<string, Files>, progress: string): Zippable {
  const texts = (files: Files) =>
    Object.fromEntries(
      Object.entries(files)
        .filter(([name]) => isName(name))
        .map(([name, text]) => [name, strToU8(text)]),
    );
  return {
    ...texts({ "go.mod": GO_MOD, "README.txt": readme(exercise) }),
    ".gitignore": strToU8(".checkalloc/\n"),
    ".checkalloc": texts({ [FILE_NAME]: progress }),
    exercises: Object.fromEntries(Object.entries(begun).map(([id, files]) => [id, texts(files)])),
  };
}

/** Reports whether a name from the browser's storage can name a file in its exercise's folder. */
const isName = (name: string) => /^\w[\w.-]*$/.test(name);
