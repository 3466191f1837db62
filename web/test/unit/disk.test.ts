import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk } from "../../src/engine/disk.ts";

type Call = (...args: unknown[]) => void;

/** Returns a function that calls a function of the disk as Go does. It returns the result, or the code of the error. */
function caller(disk: Disk, cwd = "/module", print: (fd: number, bytes: Uint8Array) => void = () => {}) {
  const fs = disk.fs(cwd, print) as Record<string, Call> & { constants: Record<string, number> };
  const call = (name: string, ...args: unknown[]): unknown => {
    let answer: unknown = "no answer";
    fs[name]!(
      ...args,
      (error: (Error & { code: string }) | null, value: unknown) => (answer = error ? error.code : value),
    );
    return answer;
  };
  return { call, flags: fs.constants };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (b: Uint8Array) => new TextDecoder().decode(b);

test("a file is written, read, grown and cut", () => {
  const disk = new Disk(1 << 20);
  disk.write("/module/.here", new Uint8Array());
  const { call, flags } = caller(disk);
  assert.equal(call("open", "a.go", flags["O_RDONLY"], 0), "ENOENT");
  const fd = call("open", "a.go", flags["O_RDWR"]! | flags["O_CREAT"]!, 0o644) as number;
  assert.equal(call("write", fd, bytes("package a\n"), 0, 10, null), 10);
  assert.equal(call("write", fd, bytes("xP"), 1, 1, 0), 1);
  assert.equal(text(disk.read("/module/a.go")), "Package a\n");
  const into = new Uint8Array(20);
  assert.equal(call("read", fd, into, 0, 20, null), 0);
  assert.equal(call("read", fd, into, 0, 7, 0), 7);
  assert.equal(text(into.subarray(0, 7)), "Package");
  call("ftruncate", fd, 3);
  call("ftruncate", fd, 5);
  assert.equal(text(disk.read("/module/a.go")), "Pac\0\0");
  assert.equal((call("fstat", fd) as { size: number }).size, 5);
  assert.equal(call("close", fd), undefined);
  assert.equal(call("close", fd), "EBADF");
});

test("the arrays of large files are freed with them, but no view of a larger array", () => {
  const disk = new Disk(8 << 20);
  const { call, flags } = caller(disk, "/");
  const large = 1 << 20;
  const whole = new Uint8Array(large);
  const part = new Uint8Array(2 * large).subarray(large);
  disk.write("/whole", whole);
  disk.write("/part", part);
  const fd = call("open", "/grown", flags["O_RDWR"]! | flags["O_CREAT"]!, 0o644) as number;
  call("write", fd, new Uint8Array(large), 0, large, null);
  const grown = disk.read("/grown");
  call("write", fd, new Uint8Array(large), 0, large, null);
  assert.equal(grown.length, 0, "the array before the last write");
  const opened = disk.read("/grown");
  call("unlink", "/grown");
  assert.notEqual(opened.length, 0, "a file without a name that is open");
  call("close", fd);
  assert.equal(opened.length, 0, "a closed file without a name");
  disk.remove("/whole");
  disk.write("/part", bytes("new"));
  assert.equal(whole.length, 0);
  assert.equal(part.length, large);
});

test("flags are kept", () => {
  const disk = new Disk(1 << 20);
  disk.write("/module/a", bytes("one"));
  const { call, flags } = caller(disk);
  assert.equal(call("open", "a", flags["O_CREAT"]! | flags["O_EXCL"]!, 0), "EEXIST");
  assert.equal(call("open", "/module", flags["O_WRONLY"], 0), "EISDIR");
  const added = call("open", "../module/./a", flags["O_WRONLY"]! | flags["O_APPEND"]!, 0) as number;
  call("write", added, bytes(" two"), 0, 4, null);
  assert.equal(text(disk.read("/module/a")), "one two");
  call("open", "a", flags["O_WRONLY"]! | flags["O_TRUNC"]!, 0);
  assert.equal(disk.read("/module/a").length, 0);
});

test("folders hold what is in them", () => {
  const disk = new Disk(1 << 20);
  disk.write("/module/sub/b", bytes("b"));
  const { call } = caller(disk);
  assert.deepEqual(call("readdir", "/module"), ["sub"]);
  assert.deepEqual(call("readdir", "sub"), ["b"]);
  assert.equal(call("rmdir", "sub"), "ENOTEMPTY");
  assert.equal(call("mkdir", "none/deep"), "ENOENT");
  assert.equal(call("mkdir", "sub"), "EEXIST");
  assert.equal(call("rename", "sub/b", "c"), undefined);
  assert.equal(call("unlink", "c"), undefined);
  assert.equal(call("rmdir", "sub"), undefined);
  assert.deepEqual(call("readdir", "/module"), []);
  disk.write("/module/x/y", bytes("y"));
  disk.remove("/module");
  assert.equal(call("stat", "/module"), "ENOENT");
});

test("the disk has a limit, and removed files make room", () => {
  const disk = new Disk(10);
  disk.write("/module/a", bytes("12345"));
  const { call, flags } = caller(disk);
  const fd = call("open", "b", flags["O_WRONLY"]! | flags["O_CREAT"]!, 0) as number;
  assert.equal(call("write", fd, bytes("123456"), 0, 6, null), "ENOSPC");
  assert.equal(call("write", fd, bytes("12345"), 0, 5, null), 5);
  call("unlink", "a");
  assert.equal(call("write", fd, bytes("12345"), 0, 5, null), 5);
  assert.equal(text(disk.read("/module/b")), "1234512345");
});

test("output is not a file", () => {
  const printed: [number, string][] = [];
  const { call } = caller(new Disk(0), "/", (fd, b) => printed.push([fd, text(b)]));
  assert.equal(call("write", 1, bytes("out"), 0, 3, null), 3);
  assert.equal(call("write", 2, bytes("err"), 0, 3, null), 3);
  assert.deepEqual(printed, [
    [1, "out"],
    [2, "err"],
  ]);
});

test("truncating frees memory", () => {
  const disk = new Disk(1 << 20);
  const { call, flags } = caller(disk, "/");
  const open = flags["O_RDWR"]! | flags["O_CREAT"]!;
  for (let i = 0; i < 50; i++) {
    const fd = call("open", `f${i}`, open, 0) as number;
    assert.equal(call("write", fd, new Uint8Array(1 << 20), 0, 1 << 20, null), 1 << 20);
    assert.equal(call(i % 2 ? "ftruncate" : "truncate", i % 2 ? fd : `f${i}`, 0), undefined);
    call("close", fd);
  }
  let held = 0;
  for (let i = 0; i < 50; i++) held += disk.read(`/f${i}`).buffer.byteLength;
  assert.equal(held, 0);
  assert.equal(disk.used, 0);
});

test("half of a file takes half of the memory", () => {
  const disk = new Disk(1000);
  const { call, flags } = caller(disk, "/");
  const fd = call("open", "a", flags["O_RDWR"]! | flags["O_CREAT"]!, 0) as number;
  call("write", fd, new Uint8Array(1000), 0, 1000, null);
  call("ftruncate", fd, 500);
  assert.equal(disk.used, 500);
  disk.write("/b", new Uint8Array(500));
});

test("a file without a name counts for as long as it is open, and once", () => {
  const disk = new Disk(100);
  const { call, flags } = caller(disk, "/");
  disk.write("/a", new Uint8Array(60));
  const fd = call("open", "a", flags["O_RDWR"]!, 0) as number;
  assert.equal(call("unlink", "a"), undefined);
  assert.equal(disk.used, 60);
  assert.throws(() => disk.write("/b", new Uint8Array(60)), { code: "ENOSPC" });
  call("ftruncate", fd, 0);
  assert.equal(disk.used, 0);
  call("write", fd, new Uint8Array(60), 0, 60, 0);
  assert.ok(disk.used >= 60);
  call("close", fd);
  assert.equal(disk.used, 0);
});

test("files that a program leaves open are closed", () => {
  const disk = new Disk(100);
  const { call, flags } = caller(disk, "/");
  const fd = call("open", "a", flags["O_RDWR"]! | flags["O_CREAT"]!, 0) as number;
  call("write", fd, new Uint8Array(100), 0, 100, null);
  disk.remove("/a");
  disk.closeAll();
  assert.equal(disk.used, 0);
  assert.equal(call("close", fd), "EBADF");
});

test("a replacement that does not fit on a full disk leaves the old file", () => {
  const disk = new Disk(10);
  disk.write("/a", bytes("1234567890"));
  assert.throws(() => disk.write("/a", bytes("12345678901")), { code: "ENOSPC" });
  assert.equal(text(disk.read("/a")), "1234567890");
  disk.write("/a", bytes("0987654321"));
  assert.equal(text(disk.read("/a")), "0987654321");
});

test("a full disk takes a new name", () => {
  const disk = new Disk(10);
  disk.write("/a", bytes("12345"));
  disk.write("/b", bytes("67890"));
  const { call } = caller(disk, "/");
  assert.equal(call("rename", "a", "b"), undefined);
  assert.equal(text(disk.read("/b")), "12345");
  assert.equal(disk.used, 5);
});

test("a file is not a folder, and a folder is not a file", () => {
  const disk = new Disk(10);
  disk.write("/a/b", bytes("b"));
  assert.throws(() => disk.write("/a", bytes("a")), { code: "EISDIR" });
  assert.throws(() => disk.write("/a/b/c", bytes("c")), { code: "ENOTDIR" });
  assert.equal(text(disk.read("/a/b")), "b");
  assert.equal(disk.used, 1);
});

test("files, names and descriptors are bounded", () => {
  const disk = new Disk(1 << 20);
  const { call, flags } = caller(disk, "/");
  const open = flags["O_RDWR"]! | flags["O_CREAT"]!;
  const until = (stop: string, step: (i: number) => unknown) => {
    for (let i = 0; i < 10_000; i++) if (step(i) === stop) return i;
    return assert.fail(`${stop} never comes`);
  };
  assert.equal(call("open", "x".repeat(5000), open, 0), "ENAMETOOLONG");
  assert.equal(call("mkdir", "x".repeat(5000)), "ENAMETOOLONG");
  until("EMFILE", (i) => call("open", `open${i}`, open, 0));
  disk.closeAll();
  until("ENOSPC", (i) => call("mkdir", `folder${i}`));
  assert.equal(call("open", "one-more", open, 0), "ENOSPC");
  assert.throws(() => disk.write("/one-more", new Uint8Array()), { code: "ENOSPC" });
  // An open file without a name counts as well.
  const fd = call("open", "open0", open, 0) as number;
  call("unlink", "open0");
  assert.equal(call("mkdir", "one-more"), "ENOSPC");
  call("close", fd);
  assert.equal(call("mkdir", "one-more"), undefined);
});

/** Returns a generator of numbers that depend only on the seed. */
function numbers(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

test("any sequence of calls reads files as they were written, and stays within the limit", () => {
  const LIMIT = 20_000;
  for (let seed = 1; seed <= 200; seed++) {
    const next = numbers(seed);
    const disk = new Disk(LIMIT);
    const { call, flags } = caller(disk, "/");
    const names = ["/a", "/b", "/c", "/d"];
    const named = new Map<string, { bytes: Uint8Array }>();
    const opened = new Map<number, { bytes: Uint8Array }>();
    const resized = (file: { bytes: Uint8Array }, size: number) => {
      const bytes = new Uint8Array(size);
      bytes.set(file.bytes.subarray(0, size));
      file.bytes = bytes;
    };
    const some = (size: number) => new Uint8Array(size).fill(1 + next(255));
    for (let step = 0; step < 150; step++) {
      const why = `seed ${seed}, step ${step}`;
      const name = names[next(names.length)]!;
      const [fd, file] = [...opened][next(opened.size || 1)] ?? [];
      const used = disk.used;
      switch (next(8)) {
        case 0: {
          const truncate = next(2) === 0;
          const got = call(
            "open",
            name,
            flags["O_RDWR"]! | flags["O_CREAT"]! | (truncate ? flags["O_TRUNC"]! : 0),
            0,
          ) as number;
          if (!named.has(name)) named.set(name, { bytes: new Uint8Array() });
          const found = named.get(name)!;
          if (truncate) resized(found, 0);
          opened.set(got, found);
          break;
        }
        case 1:
        case 2: {
          if (fd === undefined || !file) break;
          const piece = some(next(6000));
          const at = next(file.bytes.length + 100);
          const told = call("write", fd, piece, 0, piece.length, at);
          if (told === "ENOSPC") {
            assert.equal(disk.used, used, why);
            break;
          }
          assert.equal(told, piece.length, why);
          resized(file, Math.max(file.bytes.length, at + piece.length));
          file.bytes.set(piece, at);
          break;
        }
        case 3: {
          if (fd === undefined || !file) break;
          const size = next(8000);
          if (call("ftruncate", fd, size) !== "ENOSPC") resized(file, size);
          break;
        }
        case 4:
          assert.equal(call("unlink", name), named.delete(name) ? undefined : "ENOENT", why);
          break;
        case 5: {
          const to = names[next(names.length)]!;
          const moved = named.get(name);
          assert.equal(call("rename", name, to), moved ? undefined : "ENOENT", why);
          if (moved) {
            named.delete(name);
            named.set(to, moved);
          }
          break;
        }
        case 6: {
          if (fd === undefined) break;
          call("close", fd);
          opened.delete(fd);
          break;
        }
        case 7: {
          const piece = some(next(6000));
          try {
            disk.write(name, piece);
          } catch (e) {
            assert.equal((e as { code?: string }).code, "ENOSPC", why);
            break;
          }
          named.set(name, { bytes: piece.slice() });
        }
      }
      assert.ok(disk.used <= LIMIT, why);
      let held = 0;
      for (const name of names) {
        const file = named.get(name);
        if (!file) {
          assert.equal(call("stat", name), "ENOENT", why);
          continue;
        }
        const read = disk.read(name);
        held += read.buffer.byteLength;
        assert.ok(Buffer.from(read).equals(file.bytes), `${why}: ${name}`);
      }
      const nameless = new Set([...opened.values()].filter((file) => ![...named.values()].includes(file)));
      if (nameless.size === 0) assert.equal(disk.used, held, why);
      else assert.ok(disk.used >= held + [...nameless].reduce((sum, file) => sum + file.bytes.length, 0), why);
    }
    disk.closeAll();
    for (const name of names) disk.remove(name);
    assert.equal(disk.used, 0, `seed ${seed}`);
  }
});
