import assert from "node:assert/strict";
import { test } from "node:test";
import { CompileCache } from "../../src/engine/compile-cache.ts";
import { Disk } from "../../src/engine/disk.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (b: Uint8Array) => new TextDecoder().decode(b);

/** Returns an archive in the compiler's format, with export data and an object. */
const archive = (exports: string, object: string) =>
  bytes(
    `!<arch>\n${"__.PKGDEF".padEnd(16)}${"0".padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}` +
      `${"644".padEnd(8)}${String(exports.length).padEnd(10)}\`\n${exports}${object}`,
  );

const CWD = "/$WORK/module";
const ARGS = ["-o", "/$WORK/tests.a", "-p", "x_test", "-importcfg", "/$WORK/1.importcfg", "-pack", "./x_test.go"];

function laidOut(): Disk {
  const disk = new Disk(1 << 20);
  disk.write(`${CWD}/x_test.go`, bytes("package x_test\n"));
  disk.write("/$WORK/1.importcfg", bytes("packagefile fmt=/std/fmt.a\npackagefile x=/$WORK/x.a\n"));
  disk.write("/$WORK/x.a", archive("exports of x", "object one"));
  disk.write("/$WORK/tests.a", archive("", "tests"));
  return disk;
}

test("a repeated compile restores the archive and the compiler's output", () => {
  const disk = laidOut();
  const cache = new CompileCache(disk);
  assert.equal(cache.restore(CWD, ARGS), null);
  cache.add(CWD, ARGS, bytes("# report"));
  disk.remove("/$WORK");
  for (const name of ["x_test.go"]) disk.write(`${CWD}/${name}`, bytes("package x_test\n"));
  disk.write("/$WORK/1.importcfg", bytes("packagefile fmt=/std/fmt.a\npackagefile x=/$WORK/x.a\n"));
  // The package's functions have changed, but not its exported API.
  disk.write("/$WORK/x.a", archive("exports of x", "object two, which is longer"));
  assert.equal(text(cache.restore(CWD, ARGS) ?? bytes("nothing")), "# report");
  assert.match(text(disk.read("/$WORK/tests.a")), /tests$/);
});

test("another source, export or flag needs a new compile", () => {
  for (const change of [
    (disk: Disk) => disk.write(`${CWD}/x_test.go`, bytes("package x_test//\n")),
    (disk: Disk) => disk.write("/$WORK/x.a", archive("Exports of x", "object one")),
    (disk: Disk) => disk.write("/$WORK/1.importcfg", bytes("packagefile fmt=/std/fmt.a\n")),
  ]) {
    const disk = laidOut();
    const cache = new CompileCache(disk);
    cache.add(CWD, ARGS, bytes(""));
    change(disk);
    assert.equal(cache.restore(CWD, ARGS), null, String(change));
  }
  const disk = laidOut();
  const cache = new CompileCache(disk);
  cache.add(CWD, ARGS, bytes(""));
  assert.equal(cache.restore(CWD, ["-m=2", ...ARGS]), null);
});
