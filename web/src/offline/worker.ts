// The service worker, which stores the whole site so that it can be read without a network.
//
// The build puts the list of files with their hashes into this script (web/offline.mjs), so each version of the site
// has its own script, and the browser installs it beside the running one. The keys of the cache are path and hash: a
// version fetches only the files that changed, and an interrupted download continues. A version is installed when it
// has all files. It takes over when no tab of the earlier version is open, and only then removes that version's files.

import { FETCH_AGAIN, nameFor, type StoreEvent } from "./names.ts";
import { respond } from "./respond.ts";
import { SiteCache, type ListedFile } from "./site-cache.ts";

/** Set by the build: all files of the site. */
declare const FILES: ListedFile[];

/** The events of a service worker, of which TypeScript's library for pages has no types. */
interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  request: Request;
  respondWith(response: Promise<Response>): void;
}
interface Worker {
  registration: ServiceWorkerRegistration;
  clients: { claim(): Promise<void> };
  addEventListener(type: "install" | "activate", listener: (e: Lasting) => void): void;
  addEventListener(type: "message", listener: (e: Lasting & { data: unknown }) => void): void;
  addEventListener(type: "fetch", listener: (e: Fetching) => void): void;
}

const worker = self as unknown as Worker;
const root = worker.registration.scope;
const name = nameFor(root);
const cache = new SiteCache(name, root, FILES);

worker.addEventListener("install", (e) => e.waitUntil(navigator.locks.request(name, install)));
worker.addEventListener("message", (e) => {
  if (e.data === FETCH_AGAIN) e.waitUntil(navigator.locks.request(name, install));
});

async function install(): Promise<void> {
  const channel = new BroadcastChannel(name);
  const tell = (event: StoreEvent) => channel.postMessage(event);
  try {
    await cache.fetchAll();
    tell({ complete: true });
  } catch (error) {
    const full = error instanceof DOMException && error.name === "QuotaExceededError";
    tell({ failed: full ? { why: "full", total: cache.bytes } : { why: "fetch" } });
    throw error;
  } finally {
    channel.close();
  }
}

worker.addEventListener("activate", (e) => {
  e.waitUntil(navigator.locks.request(name, tidy));
  // Serve also the page that registered this worker. No page of an earlier version is open.
  e.waitUntil(worker.clients.claim());
});

/**
 * Removes the files of earlier versions, unless a later version is being installed, which may need them and removes
 * them itself.
 */
async function tidy(): Promise<void> {
  const { installing, waiting } = worker.registration;
  if (!installing && !waiting) await cache.removeOthers();
}

worker.addEventListener("fetch", (e) => {
  const reply = respond(e.request, root, cache);
  if (reply) e.respondWith(reply);
});
