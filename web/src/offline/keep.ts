// Keeps the site in the browser, once the reader asked for it: nothing is registered before.

import { siteRoot } from "../site-root.ts";
import { isFields } from "../json.ts";
import { FETCH_AGAIN, nameFor, wholeIn, type Failure, type News } from "./names.ts";

/** fetched is true where not all was there before. */
export type Keeping = { kept: true; fetched: boolean } | { kept: false; why: string };

const TELLS_WITHIN_MS = 3000;

/** The pages of a site are fetched in seconds. A worker that was ended says nothing any more. */
const LONGEST_MS = 120_000;

/** Fetches and keeps all pages with what they need. */
export async function keepSite(): Promise<Keeping> {
  if (!isSecureContext) return { kept: false, why: "Browsers keep pages only from addresses that begin with https, and from this computer's own." };
  if (!("serviceWorker" in navigator)) return { kept: false, why: "This browser has no service worker, which would keep the pages." };
  if (await siteKept()) return { kept: true, fetched: false };
  const root = siteRoot();
  const channel = new BroadcastChannel(nameFor(root));
  let failed: Failure | undefined;
  channel.addEventListener("message", ({ data }: MessageEvent<News>) => {
    if ("failed" in data) failed = data.failed;
  });
  try {
    const registration = await navigator.serviceWorker.register(`${root}sw.js`, { scope: root, updateViaCache: "none" });
    const { installing, waiting, active } = registration;
    if (!(await installed((installing ?? waiting ?? active)!, active))) {
      // What it told comes another way, and may come later.
      if (!failed) await new Promise((resolve) => setTimeout(resolve, 200));
      return { kept: false, why: words(failed) };
    }
    // The browser, or the reader, removed the files while a page had the worker: then no browser installs it again.
    if (!(await isWhole(root)) && !(await fetchedAgain(registration.active!, channel))) return { kept: false, why: words(failed) };
    return { kept: true, fetched: true };
  } catch (error) {
    return { kept: false, why: `The pages cannot be kept: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    channel.close();
  }
}

/** Whether all pages are there without a network. */
export async function siteKept(): Promise<boolean> {
  const root = siteRoot();
  try {
    return !!(await registered(root))?.active && (await isWhole(root));
  } catch {
    // Storage is blocked.
    return false;
  }
}

/** Bytes of all that is kept, before they are compressed; 0 where the site does not say. */
export async function pagesSize(): Promise<number> {
  try {
    const told: unknown = await (await fetch(`${siteRoot()}offline.json`, { signal: AbortSignal.timeout(TELLS_WITHIN_MS) })).json();
    return isFields(told) && typeof told["bytes"] === "number" ? told["bytes"] : 0;
  } catch {
    return 0;
  }
}

/** The registration for this site, and not for one that it is in. */
async function registered(root: string): Promise<ServiceWorkerRegistration | undefined> {
  const found = await navigator.serviceWorker?.getRegistration(root);
  return found?.scope === root ? found : undefined;
}

const isWhole = async (root: string) => (await caches.match(wholeIn(root), { cacheName: nameFor(root) })) !== undefined;

/** Waits until a worker has what it keeps, or reports that it could not. */
function installed(worker: ServiceWorker, active: ServiceWorker | null): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      if (worker.state === "redundant") resolve(false);
      // The first one is at work as soon as it has all, and then answers for this page too; another waits for the first one's tabs.
      else if (worker.state === "activated" || (active && worker.state === "installed")) resolve(true);
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

function fetchedAgain(worker: ServiceWorker, channel: BroadcastChannel): Promise<boolean> {
  return new Promise((resolve) => {
    channel.addEventListener("message", ({ data }: MessageEvent<News>) => resolve(!("failed" in data)));
    setTimeout(() => resolve(false), LONGEST_MS);
    worker.postMessage(FETCH_AGAIN);
  });
}

function words(failed: Failure | undefined): string {
  if (failed?.why === "full") return `The browser's storage is full: the pages take ${Math.ceil(failed.total / 1e6)} MB.`;
  return "Not all pages could be fetched: the network broke off, or the site changed meanwhile. What is there is not fetched twice.";
}
