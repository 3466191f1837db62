import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk } from "../../src/engine/disk.ts";
import { LinkCache } from "../../src/engine/link-cache.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (b: Uint8Array) => new TextDecoder().decode(b);

/** Builds alternate between two programs, so that one can run while the next one is linked. */
const args = (program: string, ...more: string[]) => [
  "-o",
  program,
  "-importcfg",
  "/$WORK/1.importcfg",
  ...more,
  "/$WORK/1.a",
];

function laidOut(disk: Disk, code: string): void {
  disk.remove("/$WORK");
  disk.write("/$WORK/0.a", bytes(code));
  disk.write("/$WORK/1.a", bytes("main"));
  disk.write("/$WORK/1.importcfg", bytes("packagefile fmt=/std/fmt.a\npackagefile x=/$WORK/0.a\npackagefile main=/$WORK/1.a\n"));
}

function linked(): { disk: Disk; cache: LinkCache } {
  const disk = new Disk(1 << 20);
  const cache = new LinkCache(disk);
  laidOut(disk, "code");
  assert.equal(cache.restore(args("/program.0")), false);
  disk.write("/program.0", bytes("the program"));
  cache.add(args("/program.0"));
  return { disk, cache };
}

test("the same packages need no second link, however often they are built", () => {
  const { disk, cache } = linked();
  for (const name of ["/program.1", "/program.0", "/program.1"]) {
    disk.remove(name);
    laidOut(disk, "code");
    assert.equal(cache.restore(args(name)), true);
    assert.equal(text(disk.read(name)), "the program");
  }
});

test("other packages, other flags and a program that is gone need a link", () => {
  for (const change of [
    ({ disk, cache }: ReturnType<typeof linked>) => {
      laidOut(disk, "Code");
      return cache.restore(args("/program.1"));
    },
    ({ cache }: ReturnType<typeof linked>) => cache.restore(args("/program.1", "-s")),
    ({ disk, cache }: ReturnType<typeof linked>) => {
      disk.remove("/program.0");
      return cache.restore(args("/program.1"));
    },
    // A link that failed may have left a part of its program.
    ({ disk, cache }: ReturnType<typeof linked>) => {
      laidOut(disk, "Code");
      cache.restore(args("/program.0"));
      disk.write("/program.0", bytes("the pro"));
      laidOut(disk, "code");
      return cache.restore(args("/program.1"));
    },
  ]) {
    assert.equal(change(linked()), false, String(change));
  }
});
