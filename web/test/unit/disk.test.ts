import assert from "node:assert/strict";
import { test } from "node:test";
import { Disk } from "../../src/engine/disk.ts";

type Call = (...args: unknown[]) => void;

/** Calls a function of the disk's as Go does, and gives what comes back, or the code of the error. */
function caller(disk: Disk, cwd = "/module", print: (fd: number, bytes: Uint8Array) => void = () => {}) {
  const fs = disk.fs(cwd, print) as Record<string, Call> & { constants: Record<string, number> };
  const call = (name: string, ...args: unknown[]): unknown => {
    let answer: unknown = "no answer";
    fs[name]!(...args, (error: (Error & { code: string }) | null, value: unknown) => (answer = error ? error.code : value));
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

test("it is full when it is full, and what is removed leaves room", () => {
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

test("what is printed is not a file", () => {
  const printed: [number, string][] = [];
  const { call } = caller(new Disk(0), "/", (fd, b) => printed.push([fd, text(b)]));
  assert.equal(call("write", 1, bytes("out"), 0, 3, null), 3);
  assert.equal(call("write", 2, bytes("err"), 0, 3, null), 3);
  assert.deepEqual(printed, [[1, "out"], [2, "err"]]);
});
