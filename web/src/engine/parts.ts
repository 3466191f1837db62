// Fetches the engine's parts, and keeps them in the browser for later visits.

import { PARTS, readManifest, type Coding, type Manifest, type Part } from "./manifest.ts";
import { Patience } from "./patience.ts";

const CACHE = "onthestack-engine-1";

/** A download that a reader can do something about. */
export class FetchError extends Error {}

/** The bytes that are copied at once to keep a part. */
const PIECE = 1 << 20;

const TRIES = 3;
const BETWEEN_TRIES_MS = 500;

/** So long a network may take for the manifest before the kept one is as good. */
const MANIFEST_MS = 3000;

const BROKE_OFF = "The connection broke off. Press the button again when the network is back: what is here already is not fetched again.";

/** The browser's store for this site's files; null where there is none: storage is blocked, or the page came over plain http. */
async function openStore(): Promise<Cache | null> {
  try {
    return typeof caches === "undefined" ? null : await caches.open(CACHE);
  } catch {
    return null;
  }
}

/** Whether fetched files can be kept for a later visit. */
export async function keepsFiles(): Promise<boolean> {
  return (await openStore()) !== null;
}

const manifestURL = (folder: string) => new URL("manifest.json", folder).href;
const partURL = (folder: string, part: Part) => new URL(part.file, folder).href;

/**
 * The manifest in the folder; the one that is kept where the network has none, or has none soon. Null where the site has no engine.
 * It rejects with a FetchError where the network fails, and nothing is kept.
 */
export async function fetchManifest(folder: string): Promise<Manifest | null> {
  const url = manifestURL(folder);
  const patience = new Patience();
  const network = (async () => {
    const reply = await fetch(url, { cache: "no-cache", signal: patience.signal });
    return reply.ok ? readManifest(parse(await reply.text())) : null;
  })();
  const soon = await Promise.race([network, new Promise<undefined>((resolve) => setTimeout(resolve, MANIFEST_MS))]).catch(() => undefined);
  const found = soon ?? (await keptManifest(await openStore(), url));
  try {
    return found ?? (await network);
  } catch {
    throw new FetchError(BROKE_OFF);
  } finally {
    patience.end();
  }
}

async function keptManifest(store: Cache | null, url: string): Promise<Manifest | null> {
  try {
    const kept = await store?.match(url);
    return kept ? readManifest(parse(await kept.text())) : null;
  } catch {
    return null;
  }
}

/** Whether all parts are kept, so that nothing would be fetched. */
export async function areKept(folder: string, manifest: Manifest): Promise<boolean> {
  const store = await openStore();
  if (!store) return false;
  try {
    const found = await Promise.all(PARTS.map((name) => store.match(partURL(folder, manifest.parts[name]))));
    return found.every((part) => part !== undefined);
  } catch {
    return false;
  }
}

/** The compression in which the host sends parts: its own, or else that of the copies which the page unpacks. */
export async function codingOf(folder: string, manifest: Manifest): Promise<Coding> {
  try {
    const coding = await codingAt(partURL(folder, manifest.parts.compile), AbortSignal.timeout(MANIFEST_MS));
    if (coding === "br") return "br";
    return coding !== "" || unpacks(manifest.parts.compile) ? "gz" : "";
  } catch {
    return "gz";
  }
}

/** Only asked: of an answer that is not wanted, a host sends megabytes before it hears so. */
async function codingAt(url: string, signal: AbortSignal): Promise<string> {
  const head = await fetch(url, { method: "HEAD", signal });
  const coding = head.headers.get("Content-Encoding") ?? "identity";
  return coding === "identity" ? "" : coding;
}

const unpacks = (part: Part): boolean => part.gz > 0 && typeof DecompressionStream !== "undefined";

export interface Fetched {
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** It was kept already. */
  kept: boolean;
}

/**
 * Keeps parts for a later visit, and with the last of them the manifest: from then on the engine works without a network. What is of
 * neither this version nor the one before, whose tabs may be open, is removed. Gives why it cannot be kept, in a sentence, "" where
 * it is.
 */
export async function keepParts(folder: string, manifest: Manifest, fetched: readonly Fetched[]): Promise<string> {
  const store = await openStore();
  if (!store) return "This browser keeps no files for this page.";
  const url = manifestURL(folder);
  const urlBefore = `${url}?before`;
  try {
    const last = await keptManifest(store, url);
    const same = last !== null && JSON.stringify(last) === JSON.stringify(manifest);
    const before = same ? await keptManifest(store, urlBefore) : last;
    const wanted = new Set([url, urlBefore]);
    for (const m of [manifest, before]) for (const name of PARTS) if (m) wanted.add(partURL(folder, m.parts[name]));
    for (const { url } of await store.keys()) if (url.startsWith(folder) && !wanted.has(url)) await store.delete(url);
    await Promise.all(fetched.filter((part) => !part.kept).map(({ url, bytes }) => store.put(url, file(streamed(bytes), "application/octet-stream"))));
    if (same || !(await areKept(folder, manifest))) return "";
    if (before) await store.put(urlBefore, manifestFile(before));
    await store.put(url, manifestFile(manifest));
    return "";
  } catch (e) {
    const full = e instanceof DOMException && e.name === "QuotaExceededError";
    return full ? "This browser's storage is full." : "This browser's storage is blocked.";
  }
}

/** Reads bytes in pieces: a response made of an array has a copy of all of it, and keeps that for some time. */
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
const manifestFile = (manifest: Manifest) => file(JSON.stringify({ schema: "onthestack/engine/1", ...manifest }), "application/json");

/** Has a part from the store or from the network. got is told how much of the whole there is, from 0 to 1. It rejects where nobody waits any more. */
export async function fetchPart(folder: string, part: Part, got: (share: number) => void, left?: AbortSignal): Promise<Fetched> {
  const url = partURL(folder, part);
  let bytes = await keptBytes(url, part);
  const kept = bytes !== null;
  bytes ??= await download(url, part, got, left);
  got(1);
  if (!kept && !(await isWhole(bytes, part))) throw new FetchError(`${part.file} is not the file that it should be. Press the button again, or reload the page.`);
  return { url, bytes, kept };
}

async function keptBytes(url: string, part: Part): Promise<Uint8Array<ArrayBuffer> | null> {
  const store = await openStore();
  try {
    const kept = await store?.match(url);
    if (!kept) return null;
    const bytes = new Uint8Array(await kept.arrayBuffer());
    if (bytes.length === part.size) return bytes;
    await store?.delete(url);
  } catch {
    // It is fetched as if it were not there.
  }
  return null;
}

/** Whether a part has the content that its name tells, as far as this browser can find out: what is kept is kept for long. */
async function isWhole(bytes: Uint8Array<ArrayBuffer>, part: Part): Promise<boolean> {
  const told = /-([0-9a-f]{8})\.\w+$/.exec(part.file)?.[1];
  if (!told || !crypto.subtle) return true;
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...sum.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("") === told;
}

async function download(url: string, part: Part, got: (share: number) => void, left?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  for (let attempt = 1; ; attempt++) {
    const patience = new Patience(left);
    try {
      return await read(await request(url, part, patience.signal), part, (share) => {
        patience.again();
        got(share);
      });
    } catch (e) {
      left?.throwIfAborted();
      const broke = e instanceof TypeError || patience.signal.aborted;
      if (!broke && !(e instanceof FetchError && attempt < TRIES)) throw e;
      if (attempt === TRIES) throw new FetchError(BROKE_OFF);
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_TRIES_MS * attempt));
    } finally {
      patience.end();
    }
  }
}

/** Asks for a part, or for its compressed copy where the host does not compress by itself. */
async function request(url: string, part: Part, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  if (unpacks(part) && (await codingAt(url, signal)) === "") {
    const copy = await fetch(`${url}.gz`, { signal });
    if (copy.ok) return unpacked(copy.body ?? empty());
    await copy.body?.cancel();
  }
  const reply = await fetch(url, { signal });
  if (reply.ok) return reply.body ?? empty();
  await reply.body?.cancel();
  if (reply.status === 404) throw new FetchError("The site has changed since this page was opened. Reload the page: what you wrote is kept.");
  const name = url.slice(url.lastIndexOf("/") + 1);
  throw new FetchError(`The site's host does not send ${name}: status ${reply.status}. Press the button again later.`);
}

/** Decompresses a stream, unless the host did so already: some do with what is named .gz. */
async function unpacked(stream: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const [look, whole] = stream.tee();
  const reader = look.getReader();
  const { value } = await reader.read();
  void reader.cancel();
  if (value?.[0] !== 0x1f || value[1] !== 0x8b) return whole;
  return whole.pipeThrough(new DecompressionStream("gzip") as TransformStream<Uint8Array, Uint8Array>);
}

async function read(stream: ReadableStream<Uint8Array>, part: Part, got: (share: number) => void): Promise<Uint8Array<ArrayBuffer>> {
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
  if (at < bytes.length) throw new FetchError(`${part.file} broke off after ${at} of ${part.size} bytes. Press the button again.`);
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
