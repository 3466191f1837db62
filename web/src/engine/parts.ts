// Fetches the engine's parts, and stores them in the browser's cache for later visits.

import { PARTS, readManifest, type Coding, type Manifest, type Part, type PartName } from "./manifest.ts";
import { IdleTimeout } from "./idle-timeout.ts";
import { ENGINE_CACHE } from "./names.ts";

/** A failed download. Its message says what the reader can do. */
export class FetchError extends Error {}

/** The number of bytes that are copied at once when a part is stored. */
const PIECE = 1 << 20;

const TRIES = 3;
const BETWEEN_TRIES_MS = 500;

/** The time after which a manifest from the cache is used if the network has not sent one. */
const MANIFEST_MS = 3000;

const BROKE_OFF =
  "The connection broke off. Press the button again when the network is back: " +
  "the parts that have arrived are not fetched again.";

/**
 * Opens the browser's cache for this site's files. Null if there is none: storage is blocked, or the page came over
 * plain http.
 */
async function openStore(): Promise<Cache | null> {
  try {
    return typeof caches === "undefined" ? null : await caches.open(ENGINE_CACHE);
  } catch {
    return null;
  }
}

/** Reports whether fetched files can be stored for a later visit. */
export async function canCache(): Promise<boolean> {
  return (await openStore()) !== null;
}

const manifestURL = (folder: string) => new URL("manifest.json", folder).href;
export const partURL = (folder: string, part: Part) => new URL(part.file, folder).href;

/**
 * Returns the manifest in the folder, from the cache if the network has none or does not send it soon. Null if the site
 * has no engine. Rejects with a FetchError if the network fails and the cache has none.
 */
export async function fetchManifest(folder: string): Promise<Manifest | null> {
  const url = manifestURL(folder);
  const idle = new IdleTimeout();
  const network = (async () => {
    const reply = await fetch(url, { cache: "no-cache", signal: idle.signal });
    return reply.ok ? readManifest(parse(await reply.text())) : null;
  })();
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, MANIFEST_MS));
  const soon = await Promise.race([network, late]).catch(() => undefined);
  const found = soon ?? (await cachedManifest(await openStore(), url));
  try {
    return found ?? (await network);
  } catch {
    throw new FetchError(BROKE_OFF);
  } finally {
    idle.clear();
  }
}

async function cachedManifest(store: Cache | null, url: string): Promise<Manifest | null> {
  try {
    const cached = await store?.match(url);
    return cached ? readManifest(parse(await cached.text())) : null;
  } catch {
    return null;
  }
}

/** Reports whether all parts are in the cache, so that nothing would be fetched. */
export async function areCached(folder: string, manifest: Manifest): Promise<boolean> {
  return (await partsToFetch(folder, manifest, PARTS)).length === 0;
}

/** Returns the parts that are not in the cache. */
export async function partsToFetch(
  folder: string, manifest: Manifest, names: readonly PartName[],
): Promise<readonly PartName[]> {
  const store = await openStore();
  if (!store) return names;
  try {
    const found = await Promise.all(names.map((name) => store.match(partURL(folder, manifest.parts[name]))));
    return names.filter((_, i) => found[i] === undefined);
  } catch {
    return names;
  }
}

/** Returns the compression in which parts arrive: "gz" also if the page itself decompresses compressed copies. */
export async function codingOf(folder: string, manifest: Manifest): Promise<Coding> {
  try {
    const coding = await codingAt(partURL(folder, manifest.parts.compile), AbortSignal.timeout(MANIFEST_MS));
    if (coding === "br") return "br";
    return coding !== "" || unpacks(manifest.parts.compile) ? "gz" : "";
  } catch {
    return "gz";
  }
}

/**
 * Returns the compression that the host uses for a file. A HEAD request: after an aborted GET a host still sends
 * megabytes.
 */
async function codingAt(url: string, signal: AbortSignal): Promise<string> {
  const head = await fetch(url, { method: "HEAD", signal });
  const coding = head.headers.get("Content-Encoding") ?? "identity";
  return coding === "identity" ? "" : coding;
}

const unpacks = (part: Part): boolean => part.gz > 0 && typeof DecompressionStream !== "undefined";

export interface Fetched {
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** It came from the cache. */
  cached: boolean;
}

/**
 * Stores parts for a later visit, and with the last of them the manifest: from then on the engine works without a
 * network. Removes the files that belong neither to this version nor to the one before, whose tabs may be open. Returns
 * why the parts cannot be stored, in a sentence; "" if they are.
 */
export async function storeParts(folder: string, manifest: Manifest, fetched: readonly Fetched[]): Promise<string> {
  const store = await openStore();
  if (!store) return "This browser keeps no files for this page.";
  const url = manifestURL(folder);
  const urlBefore = `${url}?before`;
  try {
    const last = await cachedManifest(store, url);
    const same = last !== null && JSON.stringify(last) === JSON.stringify(manifest);
    const before = same ? await cachedManifest(store, urlBefore) : last;
    const wanted = new Set([url, urlBefore]);
    for (const m of [manifest, before]) for (const name of PARTS) if (m) wanted.add(partURL(folder, m.parts[name]));
    for (const { url } of await store.keys()) if (url.startsWith(folder) && !wanted.has(url)) await store.delete(url);
    const missing = fetched.filter((part) => !part.cached);
    const binary = (bytes: Uint8Array<ArrayBuffer>) => file(streamed(bytes), "application/octet-stream");
    await Promise.all(missing.map(({ url, bytes }) => store.put(url, binary(bytes))));
    if (same || !(await areCached(folder, manifest))) return "";
    if (before) await store.put(urlBefore, manifestFile(before));
    await store.put(url, manifestFile(manifest));
    return "";
  } catch (e) {
    const full = e instanceof DOMException && e.name === "QuotaExceededError";
    return full ? "This browser's storage is full." : "This browser's storage is blocked.";
  }
}

/** Streams bytes in pieces: a Response made from an array copies the whole array and keeps the copy for some time. */
function streamed(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, (at += PIECE)));
      else controller.close();
    },
  });
}

const file = (content: BodyInit, type: string) => new Response(content, { headers: { "Content-Type": type } });
const manifestFile = (manifest: Manifest) =>
  file(JSON.stringify({ schema: "onthestack/engine/1", ...manifest }), "application/json");

type Bytes = Uint8Array<ArrayBuffer>;

/** Is called with the share of a part's bytes that has arrived from the network, from 0 to 1. */
type Progress = (share: number) => void;

/** Returns a part from the cache, without progress, or from the network. */
export async function fetchPart(folder: string, part: Part, got: Progress, signal?: AbortSignal): Promise<Fetched> {
  const url = partURL(folder, part);
  let bytes = await cachedBytes(url, part);
  const cached = bytes !== null;
  bytes ??= await download(url, part, got, signal);
  if (!cached && !(await isWhole(bytes, part))) {
    throw new FetchError(
      `${part.file} is not the file that this page expects. Press the button again, or reload the page.`,
    );
  }
  return { url, bytes, cached };
}

async function cachedBytes(url: string, part: Part): Promise<Bytes | null> {
  const store = await openStore();
  try {
    const cached = await store?.match(url);
    if (!cached) return null;
    const bytes = new Uint8Array(await cached.arrayBuffer());
    if (bytes.length === part.size) return bytes;
    await store?.delete(url);
  } catch {
    // The part is fetched again.
  }
  return null;
}

/**
 * Reports whether a part's SHA-256 begins as its file name says. Without crypto.subtle, as over plain http, it is not
 * checked.
 */
async function isWhole(bytes: Bytes, part: Part): Promise<boolean> {
  const expected = /-([0-9a-f]{8})\.\w+$/.exec(part.file)?.[1];
  if (!expected || !crypto.subtle) return true;
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...sum.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("") === expected;
}

async function download(url: string, part: Part, got: Progress, signal?: AbortSignal): Promise<Bytes> {
  for (let attempt = 1; ; attempt++) {
    const idle = new IdleTimeout(signal);
    try {
      return await read(await request(url, part, idle.signal), part, (share) => {
        idle.restart();
        got(share);
      });
    } catch (e) {
      signal?.throwIfAborted();
      const broke = e instanceof TypeError || idle.signal.aborted;
      if (!broke && !(e instanceof FetchError && attempt < TRIES)) throw e;
      if (attempt === TRIES) throw new FetchError(BROKE_OFF);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS * attempt));
    } finally {
      idle.clear();
    }
  }
}

/** Requests a part, or its compressed copy if the host does not compress by itself. */
async function request(url: string, part: Part, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  if (unpacks(part) && (await codingAt(url, signal)) === "") {
    const copy = await fetch(`${url}.gz`, { signal });
    if (copy.ok) return unpacked(copy.body ?? empty());
    await copy.body?.cancel();
  }
  const reply = await fetch(url, { signal });
  if (reply.ok) return reply.body ?? empty();
  await reply.body?.cancel();
  if (reply.status === 404) {
    throw new FetchError("The site has changed since this page was opened. Reload the page: what you wrote is kept.");
  }
  const name = url.slice(url.lastIndexOf("/") + 1);
  throw new FetchError(`The site's host does not send ${name}: status ${reply.status}. Press the button again later.`);
}

/** Decompresses a stream, unless the host has: some hosts send files named .gz with Content-Encoding: gzip. */
async function unpacked(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const [look, whole] = stream.tee();
  const reader = look.getReader();
  const { value } = await reader.read();
  void reader.cancel();
  if (value?.[0] !== 0x1f || value[1] !== 0x8b) return whole;
  return whole.pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>);
}

async function read(stream: ReadableStream<Uint8Array>, part: Part, got: Progress): Promise<Bytes> {
  const bytes = new Uint8Array(part.size);
  let at = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > bytes.length) {
      await reader.cancel();
      throw new FetchError(`${part.file} is larger than it should be. Reload the page.`);
    }
    bytes.set(value, at);
    at += value.length;
    got(at / part.size);
  }
  if (at < bytes.length) {
    throw new FetchError(`${part.file} broke off after ${at} of ${part.size} bytes. Press the button again.`);
  }
  return bytes;
}

function empty(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.close() });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
