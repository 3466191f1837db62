// A file system in memory, in the shape in which Go's js/wasm port expects Node's: the calls that the compiler, the
// linker and small programs make. Names are absolute, or relative to the folder that a program runs in.

import { freeBuffer } from "./bytes.ts";

interface Content {
  /** The file's content is the first size bytes. The rest is spare capacity, which counts as used too. */
  bytes: Uint8Array<ArrayBuffer>;
  size: number;
  /** A file without a name lives for as long as a program has it open. */
  named: boolean;
  /** How many descriptors are open on it. */
  opened: number;
}

interface Opened {
  /** null for a folder. */
  content: Content | null;
  at: number;
  append: boolean;
}

type Callback = (error: Error | null, value?: unknown) => void;

const FLAGS = {
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_DIRECTORY: 0o200000,
};

/** The largest numbers of files and folders, including open files without a name, and of descriptors. */
const MAX_FILES = 4096;
const MAX_OPENED = 1024;
/** The largest length of an absolute name. */
const LONGEST_NAME = 4096;

const FOLDER_MODE = 0o40755;
const FILE_MODE = 0o100755;

/** Returns an error that Go recognizes by its code, such as "ENOENT". */
function fault(code: string): Error {
  return Object.assign(new Error(code), { code });
}

export class Disk {
  /** null for a folder. */
  readonly #nodes = new Map<string, Content | null>([["/", null]]);
  readonly #opened = new Map<number, Opened>();
  readonly #limit: number;
  #next = 3;
  #used = 0;
  /** How many open files have no name. */
  #nameless = 0;

  /** The arrays of all files together may take up to limit bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The size in bytes of the arrays of all files, including open files without a name. */
  get used(): number {
    return this.#used;
  }

  /**
   * Creates or replaces a file, and creates the folders that it is in. The bytes are not copied, and their buffer is
   * freed with the file unless it has more than these.
   */
  write(name: string, bytes: Uint8Array<ArrayBuffer>): void {
    const old = this.#nodes.get(name);
    if (old === null) throw fault("EISDIR");
    this.#roomFor(bytes.length - (old && old.opened === 0 ? old.bytes.length : 0));
    this.#folders(name);
    if (!old || old.opened > 0) this.#oneMore(name);
    if (old) this.#unname(old);
    this.#used += bytes.length;
    this.#nodes.set(name, { bytes, size: bytes.length, named: true, opened: 0 });
  }

  /** Returns a file's bytes, which are valid until the file is written to or removed. */
  read(name: string): Uint8Array<ArrayBuffer> {
    const content = this.#nodes.get(name);
    if (!content) throw fault("ENOENT");
    return content.bytes.subarray(0, content.size);
  }

  /** Reports whether there is a file of that name. */
  has(name: string): boolean {
    return Boolean(this.#nodes.get(name));
  }

  /** Removes a folder with all that it contains. */
  remove(folder: string): void {
    for (const name of this.#nodes.keys()) if (name === folder || name.startsWith(`${folder}/`)) this.#drop(name);
  }

  /** Closes the files that ended programs left open. */
  closeAll(): void {
    for (const descriptor of this.#opened.keys()) this.#close(descriptor);
  }

  /** Returns the file system that a program gets as globalThis.fs. Writes to descriptors 1 and 2 go to print. */
  fs(cwd: string, print: (descriptor: number, bytes: Uint8Array) => void): object {
    const at = (name: string) => resolved(cwd, name);
    const later = <A extends unknown[]>(call: (...args: A) => unknown) => (...args: [...A, Callback]) => {
      const callback = args.pop() as Callback;
      let value: unknown;
      try {
        value = call(...(args as unknown as A));
      } catch (e) {
        if (!(e instanceof Error && "code" in e)) throw e;
        return callback(e);
      }
      callback(null, value);
    };
    const write = (descriptor: number, bytes: Uint8Array, position: number | null): number => {
      if (descriptor === 1 || descriptor === 2) print(descriptor, bytes);
      else this.#write(descriptor, bytes, position);
      return bytes.length;
    };
    return {
      constants: FLAGS,
      writeSync: (descriptor: number, bytes: Uint8Array) => write(descriptor, bytes, null),
      write: later((descriptor: number, bytes: Uint8Array, offset: number, length: number, position: number | null) =>
        write(descriptor, bytes.subarray(offset, offset + length), position)),
      open: later((name: string, flags: number) => this.#open(at(name), flags)),
      close: later((descriptor: number) => this.#close(descriptor)),
      read: later((descriptor: number, into: Uint8Array, offset: number, length: number, position: number | null) =>
        descriptor === 0 ? 0 : this.#read(descriptor, into.subarray(offset, offset + length), position)),
      fstat: later((descriptor: number) => (descriptor < 3 ? stats(empty()) : stats(this.#get(descriptor).content))),
      stat: later((name: string) => this.#stat(at(name))),
      lstat: later((name: string) => this.#stat(at(name))),
      ftruncate: later((descriptor: number, length: number) => this.#resize(this.#file(descriptor), length)),
      truncate: later((name: string, length: number) => this.#resize(this.#nodes.get(at(name)) ?? missing(), length)),
      mkdir: later((name: string) => this.#mkdir(at(name))),
      readdir: later((name: string) => this.#children(at(name))),
      rename: later((from: string, to: string) => this.#rename(at(from), at(to))),
      unlink: later((name: string) => this.#unlink(at(name))),
      rmdir: later((name: string) => this.#rmdir(at(name))),
      fsync: later(() => undefined),
      chmod: later((name: string) => void this.#stat(at(name))),
      fchmod: later((descriptor: number) => void this.#get(descriptor)),
      utimes: later((name: string) => void this.#stat(at(name))),
      chown: later(refuse),
      fchown: later(refuse),
      lchown: later(refuse),
      link: later(refuse),
      symlink: later(refuse),
      readlink: later(refuse),
    };
  }

  #get(descriptor: number): Opened {
    const opened = this.#opened.get(descriptor);
    if (!opened) throw fault("EBADF");
    return opened;
  }

  #file(descriptor: number): Content {
    const { content } = this.#get(descriptor);
    if (!content) throw fault("EISDIR");
    return content;
  }

  #stat(name: string): object {
    const content = this.#nodes.get(name);
    if (content === undefined) throw fault("ENOENT");
    return stats(content);
  }

  #open(name: string, flags: number): number {
    let content = this.#nodes.get(name);
    const writes = (flags & 3) !== FLAGS.O_RDONLY;
    if (this.#opened.size >= MAX_OPENED) throw fault("EMFILE");
    if (content === undefined) {
      if (!(flags & FLAGS.O_CREAT)) throw fault("ENOENT");
      this.#inFolder(name);
      this.#oneMore(name);
      content = empty();
      this.#nodes.set(name, content);
    } else if (flags & FLAGS.O_CREAT && flags & FLAGS.O_EXCL) {
      throw fault("EEXIST");
    } else if (content === null && writes) {
      throw fault("EISDIR");
    } else if (content && flags & FLAGS.O_DIRECTORY) {
      throw fault("ENOTDIR");
    }
    if (content && writes && flags & FLAGS.O_TRUNC) this.#resize(content, 0);
    if (content) content.opened++;
    this.#opened.set(this.#next, { content, at: 0, append: (flags & FLAGS.O_APPEND) !== 0 });
    return this.#next++;
  }

  #close(descriptor: number): void {
    const { content } = this.#get(descriptor);
    this.#opened.delete(descriptor);
    if (!content || --content.opened > 0 || content.named) return;
    this.#nameless--;
    this.#free(content);
  }

  #read(descriptor: number, into: Uint8Array, position: number | null): number {
    const opened = this.#get(descriptor);
    const content = this.#file(descriptor);
    const from = Math.min(position ?? opened.at, content.size);
    const part = content.bytes.subarray(from, Math.min(content.size, from + into.length));
    into.set(part);
    if (position === null) opened.at += part.length;
    return part.length;
  }

  #write(descriptor: number, bytes: Uint8Array, position: number | null): void {
    const opened = this.#get(descriptor);
    const content = this.#file(descriptor);
    const from = position ?? (opened.append ? content.size : opened.at);
    const end = from + bytes.length;
    if (end > content.size) this.#resize(content, end);
    content.bytes.set(bytes, from);
    if (position === null) opened.at = end;
  }

  /** Sets a file's size. New bytes are zero. */
  #resize(content: Content, size: number): void {
    if (!(size >= 0)) throw fault("EINVAL");
    const { bytes } = content;
    if (size > bytes.length) {
      this.#roomFor(size - bytes.length);
      // A file that grows usually grows again, so it gets spare capacity, but at most half of the space that is left.
      const left = Math.floor((this.#limit - this.#used - size + bytes.length) / 2);
      const wanted = Math.min(Math.max(2 * bytes.length, 4096), bytes.length + (8 << 20));
      const larger = new Uint8Array(Math.max(size, Math.min(wanted, size + left)));
      larger.set(bytes.subarray(0, content.size));
      this.#hold(content, larger);
    } else if (size > content.size) {
      bytes.fill(0, content.size, size);
    } else if (size <= bytes.length / 2) {
      this.#hold(content, bytes.slice(0, size));
    }
    content.size = size;
  }

  /** Moves a file's content to another array. */
  #hold(content: Content, bytes: Uint8Array<ArrayBuffer>): void {
    this.#used += bytes.length - content.bytes.length;
    release(content);
    content.bytes = bytes;
  }

  #roomFor(bytes: number): void {
    if (bytes > 0 && this.#used + bytes > this.#limit) throw fault("ENOSPC");
  }

  /** Throws if a file or folder of that name cannot be added. */
  #oneMore(name: string): void {
    if (name.length > LONGEST_NAME) throw fault("ENAMETOOLONG");
    if (this.#nodes.size + this.#nameless >= MAX_FILES) throw fault("ENOSPC");
  }

  /** Marks a file that was removed from its folder as having no name. */
  #unname(content: Content): void {
    content.named = false;
    if (content.opened > 0) this.#nameless++;
    else this.#free(content);
  }

  /** Frees what a file takes that has neither a name nor a descriptor. */
  #free(content: Content): void {
    this.#used -= content.bytes.length;
    release(content);
  }

  #drop(name: string): void {
    const content = this.#nodes.get(name);
    this.#nodes.delete(name);
    if (content) this.#unname(content);
  }

  #folders(name: string): void {
    for (let end = name.indexOf("/", 1); end > 0; end = name.indexOf("/", end + 1)) {
      const folder = name.slice(0, end);
      const found = this.#nodes.get(folder);
      if (found) throw fault("ENOTDIR");
      if (found === null) continue;
      this.#oneMore(folder);
      this.#nodes.set(folder, null);
    }
  }

  #inFolder(name: string): void {
    const folder = this.#nodes.get(name.slice(0, name.lastIndexOf("/")) || "/");
    if (folder !== null) throw fault(folder ? "ENOTDIR" : "ENOENT");
  }

  #mkdir(name: string): void {
    if (this.#nodes.has(name)) throw fault("EEXIST");
    this.#inFolder(name);
    this.#oneMore(name);
    this.#nodes.set(name, null);
  }

  #children(name: string): string[] {
    const folder = this.#nodes.get(name);
    if (folder !== null) throw fault(folder ? "ENOTDIR" : "ENOENT");
    const start = name === "/" ? name : `${name}/`;
    const below = [...this.#nodes.keys()].filter((n) => n !== "/" && n.startsWith(start));
    return below.map((n) => n.slice(start.length)).filter((n) => !n.includes("/"));
  }

  #rename(from: string, to: string): void {
    const content = this.#nodes.get(from);
    if (content === undefined) throw fault("ENOENT");
    if (from === to) return;
    this.#inFolder(to);
    if (content === null) throw fault("ENOSYS");
    if (this.#nodes.get(to) === null) throw fault("EISDIR");
    if (to.length > LONGEST_NAME) throw fault("ENAMETOOLONG");
    this.#drop(to);
    this.#nodes.delete(from);
    this.#nodes.set(to, content);
  }

  #unlink(name: string): void {
    const content = this.#nodes.get(name);
    if (!content) throw fault(content === null ? "EISDIR" : "ENOENT");
    this.#drop(name);
  }

  #rmdir(name: string): void {
    if (this.#children(name).length > 0) throw fault("ENOTEMPTY");
    this.#drop(name);
  }
}

const NONE = new Uint8Array(0);

/** Smaller arrays are left to the browser: freeing one takes longer than it is worth. */
const WORTH_FREEING = 64 << 10;

/** Frees the array of a file, unless it is a view of something larger, such as the pack of the standard library. */
function release({ bytes }: Content): void {
  if (bytes.length >= WORTH_FREEING && bytes.length === bytes.buffer.byteLength) freeBuffer(bytes);
}

function empty(): Content {
  return { bytes: NONE, size: 0, named: true, opened: 0 };
}

function missing(): never {
  throw fault("ENOENT");
}

function refuse(): never {
  throw fault("ENOSYS");
}

function stats(content: Content | null): object {
  const size = content?.size ?? 0;
  const mode = content ? FILE_MODE : FOLDER_MODE;
  const isDirectory = () => content === null;
  const times = { atimeMs: 0, mtimeMs: 0, ctimeMs: 0 };
  const constant = { dev: 0, ino: 0, nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096 };
  return { ...constant, ...times, mode, size, blocks: Math.ceil(size / 512), isDirectory };
}

/** Returns the absolute name without "." and "..". */
function resolved(cwd: string, name: string): string {
  const parts: string[] = [];
  for (const part of (name.startsWith("/") ? name : `${cwd}/${name}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
