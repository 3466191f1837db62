// "make … REPO=URL": an invalid URL is refused before anything is built, and another URL rebuilds the book and the
// site.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

let cache: string;
before(async () => void (cache = await mkdtemp(join(tmpdir(), "onthestack-repo-"))));
after(() => rm(cache, { recursive: true }));

const make = (repo: string) =>
  spawnSync("make", ["--no-print-directory", "-C", process.env["OTS_ROOT"]!, `CACHE=${cache}`, `${cache}/repo`], {
    encoding: "utf8",
    env: { ...process.env, REPO: repo },
  });

for (const repo of [
  "ftp://example.org/x",
  "https://",
  "javascript:alert(1)",
  "https://example.org/",
  "https://example.org//x",
  "https://a b",
  'https://example.org/"x',
  "https://user:word@example.org/x",
  "git@example.org:x/y.git",
]) {
  test(`REPO=${repo} is refused`, () => {
    const { status, stderr, stdout } = make(repo);
    assert.notEqual(status, 0);
    assert.match(stdout + stderr, /^REPO is ".*": give the URL that the repository is cloned from, such as https:/m);
  });
}

test("a changed URL triggers a rebuild, and the same one does not", async () => {
  const file = join(cache, "repo");
  for (const repo of ["", "https://example.org/you/onthestack", "http://git.example.org:8080/~you/onthestack.git"]) {
    assert.equal(make(repo).status, 0, repo);
    assert.equal(await readFile(file, "utf8"), `${repo}\n`);
    const { mtimeMs } = await stat(file);
    assert.equal(make(repo).status, 0, repo);
    assert.equal((await stat(file)).mtimeMs, mtimeMs, "it is as old as before");
  }
});
