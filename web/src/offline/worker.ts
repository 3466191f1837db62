// The service worker: keeps the whole site, so that it can be read without a network.
//
// The build puts the list of the files with their hashes into this script (web/offline.mjs), so another version of the site is
// another script, and the browser installs it beside the one that runs. The cache holds files by path and hash: a version
// fetches what no version before it had, one that was cut short goes on where it was, and it is installed when it has all. It takes
// over when no tab of the old one is open, and only then do the old one's files go.

import { answer } from "./answer.ts";
import { Kept, type ListedFile } from "./kept.ts";
import { FETCH_AGAIN, nameFor, type News } from "./names.ts";

/** Set by the build: all that is kept. */
declare const FILES: ListedFile[];

interface Lasting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Lasting {
  request: Request;
  respondWith(answer: Promise<Response>): void;
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
const kept = new Kept(name, root, FILES);

worker.addEventListener("install", (e) => e.waitUntil(navigator.locks.request(name, install)));
worker.addEventListener("message", (e) => {
  if (e.data === FETCH_AGAIN) e.waitUntil(navigator.locks.request(name, install));
});

async function install(): Promise<void> {
  const channel = new BroadcastChannel(name);
  const tell = (news: News) => channel.postMessage(news);
  try {
    await kept.fetchAll();
    tell({ whole: true });
  } catch (error) {
    const full = error instanceof DOMException && error.name === "QuotaExceededError";
    tell({ failed: full ? { why: "full", total: kept.bytes } : { why: "fetch" } });
    throw error;
  } finally {
    channel.close();
  }
}

worker.addEventListener("activate", (e) => {
  e.waitUntil(navigator.locks.request(name, tidy));
  // The page that asked for this has no worker yet; pages that have one of an older version are closed.
  e.waitUntil(worker.clients.claim());
});

/** Removes the files of older versions, unless a newer one counts on them: then it does that. */
async function tidy(): Promise<void> {
  const { installing, waiting } = worker.registration;
  if (!installing && !waiting) await kept.removeOthers();
}

worker.addEventListener("fetch", (e) => {
  const reply = answer(e.request, root, kept);
  if (reply) e.respondWith(reply);
});
