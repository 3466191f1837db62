// Stores the site in the browser for use without a network. No service worker is registered until the reader asks for
// that.

import { isFields } from "../json.ts";
import { siteRoot } from "../site-root.ts";
import { FETCH_AGAIN, nameFor, completeKey, type Failure, type StoreEvent } from "./names.ts";

/** The result of keepSite. fetched is true unless all files were stored already. */
export type Keeping = { stored: true; fetched: boolean } | { stored: false; why: string };

/** The time limit for offline.json. */
const SIZE_TIMEOUT_MS = 3000;

/** Fetching all pages takes seconds, but the browser may end a worker, which then sends no message. */
const FETCH_TIMEOUT_MS = 120_000;

/** Fetches and stores all pages, with the files that they need. */
export async function keepSite(): Promise<Keeping> {
  if (!isSecureContext)
    return {
      stored: false,
      why: "Browsers keep pages only from addresses that begin with https, and from this computer's own.",
    };
  if (!("serviceWorker" in navigator))
    return { stored: false, why: "This browser has no service worker, which would keep the pages." };
  if (await siteKept()) return { stored: true, fetched: false };
  const root = siteRoot();
  const channel = new BroadcastChannel(nameFor(root));
  let failed: Failure | undefined;
  channel.addEventListener("message", ({ data }: MessageEvent<StoreEvent>) => {
    if ("failed" in data) failed = data.failed;
  });
  try {
    const registration = await navigator.serviceWorker.register(`${root}sw.js`, {
      scope: root,
      updateViaCache: "none",
    });
    const { installing, waiting, active } = registration;
    if (!(await installed((installing ?? waiting ?? active)!, active))) {
      // The worker's message may arrive after its change of state.
      if (!failed) await new Promise((resolve) => setTimeout(resolve, 200));
      return { stored: false, why: words(failed) };
    }
    // If only the cache was deleted, the browser does not install the worker again, so ask it to fetch the files.
    if (!(await isComplete(root)) && !(await fetchedAgain(registration.active!, channel)))
      return { stored: false, why: words(failed) };
    return { stored: true, fetched: true };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { stored: false, why: `The pages cannot be kept: ${why}` };
  } finally {
    channel.close();
  }
}

/** Reports whether all pages are available without a network. */
export async function siteKept(): Promise<boolean> {
  const root = siteRoot();
  try {
    return !!(await registered(root))?.active && (await isComplete(root));
  } catch {
    // The browser blocks storage.
    return false;
  }
}

/** Returns the size of the stored pages in bytes, uncompressed; 0 if it is not known. */
export async function pagesSize(): Promise<number> {
  try {
    const json: unknown = await (
      await fetch(`${siteRoot()}offline.json`, { signal: AbortSignal.timeout(SIZE_TIMEOUT_MS) })
    ).json();
    return isFields(json) && typeof json["bytes"] === "number" ? json["bytes"] : 0;
  } catch {
    return 0;
  }
}

/** Returns the registration for this site, and not for a site that contains it. */
async function registered(root: string): Promise<ServiceWorkerRegistration | undefined> {
  const found = await navigator.serviceWorker?.getRegistration(root);
  return found?.scope === root ? found : undefined;
}

const isComplete = async (root: string) =>
  (await caches.match(completeKey(root), { cacheName: nameFor(root) })) !== undefined;

/** Waits until a worker has stored all files; resolves to false if it could not. */
function installed(worker: ServiceWorker, active: ServiceWorker | null): Promise<boolean> {
  return new Promise((resolve) => {
    const look = () => {
      if (worker.state === "redundant") resolve(false);
      // The first worker is activated at once, and serves this page too. A later one waits until the tabs of the
      // earlier close.
      else if (worker.state === "activated" || (active && worker.state === "installed")) resolve(true);
    };
    worker.addEventListener("statechange", look);
    look();
  });
}

function fetchedAgain(worker: ServiceWorker, channel: BroadcastChannel): Promise<boolean> {
  return new Promise((resolve) => {
    channel.addEventListener("message", ({ data }: MessageEvent<StoreEvent>) => resolve(!("failed" in data)));
    setTimeout(() => resolve(false), FETCH_TIMEOUT_MS);
    worker.postMessage(FETCH_AGAIN);
  });
}

function words(failed: Failure | undefined): string {
  if (failed?.why === "full")
    return `The browser's storage is full: the pages take ${Math.ceil(failed.total / 1e6)} MB.`;
  return (
    "Not all pages could be fetched: the connection was lost, or the site changed meanwhile. " +
    "Files that have arrived are not fetched again."
  );
}
