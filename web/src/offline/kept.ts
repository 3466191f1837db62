// The site's files in the browser's cache, by path and hash.

import { wholeIn } from "./names.ts";

/** The path below the site's root, the SHA-256 of the content in hexadecimal, and its bytes. */
export type ListedFile = [path: string, hash: string, bytes: number];

const AT_ONCE = 6;

export class Kept {
  readonly #name: string;
  readonly #root: string;
  readonly #files: ListedFile[];
  readonly #hashes: Map<string, string>;

  constructor(name: string, root: string, files: ListedFile[]) {
    this.#name = name;
    this.#root = root;
    this.#files = files;
    this.#hashes = new Map(files.map(([path, hash]) => [path, hash]));
  }

  get bytes(): number {
    return this.#files.reduce((sum, [, , bytes]) => sum + bytes, 0);
  }

  /** Whether this version of the site has such a file. */
  has(path: string): boolean {
    return this.#hashes.has(path);
  }

  /**
   * A file by the beginning of its hash, which may be "": this version's, or else one of another version, whose tabs may still be
   * open.
   */
  async find(path: string, hash = ""): Promise<Response | undefined> {
    const cache = await caches.open(this.#name);
    const own = this.#hashes.get(path);
    if (own?.startsWith(hash)) {
      const found = await cache.match(this.#key(path, own));
      if (found) return found;
    }
    const others = await cache.keys(this.#root + path, { ignoreSearch: true });
    const other = others.find(({ url }) => new URL(url).search.startsWith(`?${hash}`));
    return other && cache.match(other);
  }

  /** Fetches what is not there yet. */
  async fetchAll(): Promise<void> {
    const cache = await caches.open(this.#name);
    const there = await this.#keys(cache);
    const stop = new AbortController();
    const next = this.#files.values();
    const work = async () => {
      for (const [path, hash] of next) {
        const key = this.#key(path, hash);
        if (!there.has(key)) await cache.put(key, await this.#fetch(path, hash, stop.signal));
        stop.signal.throwIfAborted();
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, work));
    } catch (error) {
      stop.abort();
      throw error;
    }
    await cache.put(wholeIn(this.#root), new Response());
  }

  async removeOthers(): Promise<void> {
    const cache = await caches.open(this.#name);
    const own = new Set([wholeIn(this.#root), ...this.#files.map(([path, hash]) => this.#key(path, hash))]);
    for (const key of await this.#keys(cache)) if (!own.has(key)) await cache.delete(key);
  }

  async #keys(cache: Cache): Promise<Set<string>> {
    return new Set((await cache.keys()).map(({ url }) => url));
  }

  #key(path: string, hash: string): string {
    return `${this.#root}${path}?${hash}`;
  }

  /** The listed content, whatever the host calls its answer: a page may come by a redirect, and what is not found as 404. */
  async #fetch(path: string, hash: string, signal: AbortSignal): Promise<Response> {
    const integrity = `sha256-${btoa(hash.replaceAll(/../g, (byte) => String.fromCharCode(parseInt(byte, 16))))}`;
    const reply = await fetch(this.#root + path.replace(/(^|\/)index\.html$/, "$1"), { integrity, signal, cache: "no-cache" });
    // A navigation takes no answer that was redirected, so this is one of its own.
    return new Response(reply.body, { headers: { "Content-Type": reply.headers.get("Content-Type") ?? "" } });
  }
}
