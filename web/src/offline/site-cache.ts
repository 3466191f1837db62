// The site's files in the browser's cache. Their keys contain path and hash.

import { completeKey } from "./names.ts";

/** The path below the site's root, the SHA-256 of the content in hexadecimal, and its size in bytes. */
export type ListedFile = [path: string, hash: string, bytes: number];

/** The number of files that are fetched at the same time. */
const AT_ONCE = 6;

/** The cache of one version of the site. Files of other versions may be in it too. */
export class SiteCache {
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

  /** The size of all files of this version. */
  get bytes(): number {
    return this.#files.reduce((sum, [, , bytes]) => sum + bytes, 0);
  }

  /** Reports whether this version of the site has the file. */
  has(path: string): boolean {
    return this.#hashes.has(path);
  }

  /**
   * Returns a file whose hash begins with the given one, which may be "". Tabs of other versions may still be open, so
   * it returns another version's file if this version's does not match.
   */
  async find(path: string, hash = ""): Promise<Response | undefined> {
    const cache = await caches.open(this.#name);
    const current = this.#hashes.get(path);
    if (current?.startsWith(hash)) {
      const found = await cache.match(this.#key(path, current));
      if (found) return found;
    }
    const others = await cache.keys(this.#root + path, { ignoreSearch: true });
    const other = others.find(({ url }) => new URL(url).search.startsWith(`?${hash}`));
    return other && cache.match(other);
  }

  /** Fetches the files that are not in the cache, and then marks the version as complete. */
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
    await cache.put(completeKey(this.#root), new Response());
  }

  /** Removes the files of other versions. */
  async removeOthers(): Promise<void> {
    const cache = await caches.open(this.#name);
    const current = new Set([completeKey(this.#root), ...this.#files.map(([path, hash]) => this.#key(path, hash))]);
    for (const key of await this.#keys(cache)) if (!current.has(key)) await cache.delete(key);
  }

  async #keys(cache: Cache): Promise<Set<string>> {
    return new Set((await cache.keys()).map(({ url }) => url));
  }

  #key(path: string, hash: string): string {
    return `${this.#root}${path}?${hash}`;
  }

  /**
   * Fetches a file with the listed content. The status does not matter: 404.html is sent as 404, and hosts may
   * redirect.
   */
  async #fetch(path: string, hash: string, signal: AbortSignal): Promise<Response> {
    const integrity = `sha256-${btoa(hash.replaceAll(/../g, (byte) => String.fromCharCode(parseInt(byte, 16))))}`;
    const reply = await fetch(this.#root + path.replace(/(^|\/)index\.html$/, "$1"), {
      integrity,
      signal,
      cache: "no-cache",
    });
    // Browsers refuse a redirected response for a navigation, so this is a new one.
    return new Response(reply.body, { headers: { "Content-Type": reply.headers.get("Content-Type") ?? "" } });
  }
}
