import assert from "node:assert/strict";
import { test } from "node:test";
import { readSaved, type Saved } from "../../src/exercise/saved.ts";
import type { Files } from "../../src/files.ts";
import type { ExerciseData } from "../../src/go/exercise.ts";
import { Store } from "../../src/store.ts";
import type { Api, Change } from "../../src/workspace/api.ts";
import { Copy } from "../../src/workspace/copy.ts";
import { WorkspaceProgress } from "../../src/workspace/progress.ts";
import { MemoryStorage } from "./memory-storage.ts";

const ID = "exercise6";
const FILE = "stream.go";
const STARTER = "starter";

/** A workspace on a server, with one exercise of one file. */
class Workspace {
  disk: string | null = STARTER;
  id = "one";
  exercises: Record<string, object> = {};
  readonly changes: Change[] = [];
  /** Called before a change is answered: another program may write meanwhile. */
  meanwhile = () => {};

  #copy() {
    const files: Files = this.disk === null ? {} : { [FILE]: this.disk };
    const missing = this.disk === null ? [FILE] : [];
    return { tag: String(this.disk), value: { workspace: this.id, folder: `exercises/${ID}`, files, missing } };
  }

  readonly api: Api = {
    progress: async (tag) => {
      const value = JSON.stringify({ schema: "checkalloc/progress/2", exercises: this.exercises });
      return value === tag ? null : { tag: value, value };
    },
    copy: async (_, tag) => (tag === String(this.disk) ? null : this.#copy()),
    save: async (_, change, tag) => {
      this.meanwhile();
      const stored = tag === String(this.disk);
      if (stored) {
        this.changes.push(change);
        this.disk = change.files[FILE]!;
      }
      return { ...this.#copy(), stored };
    },
  };
}

function open(workspace: Workspace, storage = new MemoryStorage()) {
  const store = new Store(storage);
  const announced: string[] = [];
  const surroundings = { store, api: workspace.api, announce: (name: string) => void announced.push(name) };
  const progress = new WorkspaceProgress(surroundings);
  const data = { exercise: ID, files: { [FILE]: STARTER }, hints: ["a", "b"] } as unknown as ExerciseData;
  const copy = new Copy(data, progress, surroundings);
  const saved = () => store.load(ID, readSaved);
  return {
    store,
    storage,
    announced,
    progress,
    copy,
    saved,
    text: () => saved()?.files?.[FILE] ?? STARTER,
    asides: () => (saved()?.asides ?? []).map((files) => files[FILE]),
    edit(text: string, more: Partial<Saved> = {}) {
      const before = saved() ?? { starter: "", hints: 0, passed: false };
      store.save(ID, { ...before, files: { [FILE]: text }, ...more });
    },
  };
}

/** What the browser and the workspace have after one of them, or both, has changed. */
const CASES: { name: string; mine?: string; disk?: string | null; want: [string, string | null]; asides?: string[] }[] = [
  { name: "nothing", want: ["common", "common"] },
  { name: "the page", mine: "page", want: ["page", "page"] },
  { name: "the workspace", disk: "disk", want: ["disk", "disk"] },
  { name: "both to the same", mine: "same", disk: "same", want: ["same", "same"] },
  { name: "both", mine: "page", disk: "disk", want: ["page", "disk"], asides: ["disk"] },
  { name: "the workspace, to the starter", disk: STARTER, want: [STARTER, STARTER] },
  { name: "the page, to the starter", mine: STARTER, want: [STARTER, STARTER] },
  { name: "a file is deleted", disk: null, want: ["common", null] },
  { name: "a file is deleted, and the page is edited", disk: null, mine: "page", want: ["page", "page"] },
];

for (const { name, mine, disk, want, asides = [] } of CASES) {
  test(`a change of one reaches the other: ${name}`, async () => {
    const workspace = new Workspace();
    const page = open(workspace);
    page.edit("common");
    await page.copy.sync(true);
    assert.equal(workspace.disk, "common");
    if (mine !== undefined) page.edit(mine);
    if (disk !== undefined) workspace.disk = disk;
    const standing = await page.copy.sync(true);
    assert.deepEqual([page.text(), workspace.disk], want);
    assert.deepEqual(page.asides(), asides);
    assert.equal(standing.name, asides.length > 0 ? "apart" : "same");
    const writes = workspace.changes.length;
    const told = page.announced.length;
    await page.copy.sync(true);
    await page.copy.sync(true);
    assert.deepEqual([page.text(), workspace.disk], want, "later");
    assert.equal(workspace.changes.length, writes, "nothing is written again");
    assert.equal(page.announced.length, told, "nothing is told again");
  });
}

test("a pass that the workspace does not have is told, and one that it has is not", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  page.edit("mine", { passed: true });
  assert.equal(page.copy.passedHereAlone, false, "the workspace was not asked yet");
  await page.progress.sync();
  assert.equal(page.copy.passedHereAlone, true);
  workspace.exercises[ID] = { passed: "2026-03-01T10:00:00Z" };
  await page.progress.sync();
  assert.equal(page.copy.passedHereAlone, false);
});

test("after a conflict, the reader's choice is written", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  page.edit("page");
  workspace.disk = "disk";
  await page.copy.sync(true);
  assert.equal(workspace.disk, "disk", "nothing is written before the reader chooses");
  page.edit("page, edited");
  await page.copy.sync(false);
  assert.equal(workspace.disk, "disk", "nor after an edit");
  // The workspace's text is shown, and the page's is put aside.
  page.edit("disk", { asides: [{ [FILE]: "page, edited" }] });
  assert.equal((await page.copy.sync(false)).name, "same");
  page.edit("disk, edited");
  await page.copy.sync(false);
  assert.equal(workspace.disk, "disk, edited");
  assert.deepEqual(page.asides(), ["page, edited"]);

  // In the next conflict, the workspace's text is forgotten.
  page.edit("mine", { asides: [] });
  workspace.disk = "theirs";
  await page.copy.sync(true);
  assert.deepEqual(page.asides(), ["theirs"]);
  page.edit("mine", { asides: [] });
  await page.copy.sync(false);
  assert.equal(workspace.disk, "mine");
});

test("a conflict with a text that goes on changing keeps only the newest one", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  page.edit("page", { asides: [{ [FILE]: "of a tab" }] });
  for (const disk of ["first", "second", "third"]) {
    workspace.disk = disk;
    await page.copy.sync(true);
  }
  assert.deepEqual(page.asides(), ["third", "of a tab"]);
});

test("a text that is replaced while the page saves is not overwritten", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  await page.copy.sync(true);
  page.edit("page");
  workspace.meanwhile = () => (workspace.disk = "disk");
  assert.equal((await page.copy.sync(false)).name, "apart");
  assert.deepEqual([page.text(), workspace.disk, page.asides()], ["page", "disk", ["disk"]]);
});

test("another workspace at the same address has nothing in common with the page as yet", async () => {
  const one = new Workspace();
  const page = open(one);
  page.edit("page");
  await page.copy.sync(true);
  const other = new Workspace();
  other.id = "other";
  other.disk = "disk";
  const later = open(other, page.storage);
  await later.copy.sync(true);
  assert.deepEqual([later.text(), other.disk, later.asides()], ["page", "disk", ["disk"]]);
});

test("blocked or full storage is reported, and the workspace stays as it is", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  workspace.disk = "disk";
  page.storage.full = true;
  await assert.rejects(page.copy.sync(true), /storage is blocked or full/);
  assert.equal(workspace.disk, "disk");
  assert.deepEqual(workspace.changes, []);
});

test("hints, and the solution before a pass, are told to the workspace once", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  await page.progress.sync();
  page.edit(STARTER, { hints: 2, spoiled: true });
  await page.copy.sync(true);
  await page.copy.sync(true);
  assert.deepEqual(workspace.changes, [{ files: { [FILE]: STARTER }, hints: 2, spoiled: true }]);
  // A pass that only the page knows is not told.
  page.edit(STARTER, { passed: true, hints: 2, spoiled: true });
  await page.copy.sync(true);
  assert.equal(workspace.changes.length, 1);
});

test("the progress of the workspace becomes the browser's, and takes nothing away", async () => {
  const workspace = new Workspace();
  const page = open(workspace);
  page.edit("page", { hints: 1 });
  const last = [{ name: "B", allocs_per_op: 1, bytes_per_op: 8 }];
  workspace.exercises = { [ID]: { passed: "2026-11-01T10:00:00Z", last }, exercise7: { hints: 3 } };
  await page.progress.sync();
  assert.deepEqual(page.announced.sort(), [ID, "exercise7"]);
  const { passed, hints, files } = page.saved()!;
  assert.deepEqual({ passed, hints, files }, { passed: true, hints: 1, files: { [FILE]: "page" } });
  assert.equal(page.store.load("exercise7", readSaved)!.hints, 3);
  // The page's own check has the same figures, and more words.
  page.edit("page", { last: { headline: "Passed", benchmarks: last } });
  workspace.exercises = { ...workspace.exercises, exercise8: { hints: 1 } };
  await page.progress.sync();
  assert.equal(page.saved()!.last!.headline, "Passed");
  workspace.exercises = {};
  await page.progress.sync();
  assert.equal(page.saved()!.passed, true);
});
