// The service worker's responses: from the network if there is one, otherwise from the cache.

import type { SiteCache } from "./site-cache.ts";

/** The time after which the cached page is shown. Some networks neither respond nor fail. */
const NETWORK_TIMEOUT_MS = 3000;

/** Matches the paths of files, which may be in the cache. The paths of the runner's API do not match. */
const FILE = /(^|\/|\.(html|css|js|json|svg|png|ico|woff2?))$/;

/** The engine stores its own parts: see ../engine/parts.ts. */
const ENGINE = /^engine\//;

/** Matches the names that mdBook, esbuild and Hugo give to files, which contain a hash of the content. */
const FINGERPRINTED = /[.-]([0-9a-f]{8}|[A-Z2-7]{8}|[0-9a-f]{64})(\.min)?\.\w+$/;

/**
 * Returns the response to a request; null for requests that the browser sends itself: other hosts, the API, the engine.
 */
export function respond(request: Request, root: string, cache: SiteCache): Promise<Response> | null {
  const { pathname, search, href } = new URL(request.url);
  if (request.method !== "GET" || !href.startsWith(root)) return null;
  const path = pathname.slice(new URL(root).pathname.length);
  if (ENGINE.test(path)) return null;
  if (!FILE.test(path)) {
    // The path of a folder without its slash. Hosts redirect it, so this does too.
    const folder = request.mode === "navigate" && cache.has(`${path}/index.html`);
    return folder ? fetch(request).catch(() => Response.redirect(`${root}${path}/${search}`)) : null;
  }
  const file = path.replace(/(^|\/)$/, "$1index.html");
  const hash = /^\?v=([0-9a-f]{6,64})$/.exec(search)?.[1];
  return hash || FINGERPRINTED.test(file) ? cacheFirst(request, file, hash, cache) : networkFirst(request, file, cache);
}

/** For URLs that contain a hash, whose content never changes. */
async function cacheFirst(
  request: Request,
  file: string,
  hash: string | undefined,
  cache: SiteCache,
): Promise<Response> {
  return (await cache.find(file, hash)) ?? networkFirst(request, file, cache);
}

/**
 * Uses the cache if the network fails, hangs, or no longer has the file, which a tab of an earlier version may request.
 */
async function networkFirst(request: Request, file: string, cache: SiteCache): Promise<Response> {
  const network = fetch(request);
  const reply = await Promise.race([network, after(NETWORK_TIMEOUT_MS)]).catch(() => undefined);
  if (reply && !isLost(reply.status)) return reply;
  const found = await cache.find(file);
  if (found) return found;
  try {
    return await network;
  } catch (error) {
    const missing = request.mode === "navigate" && (await cache.find("404.html"));
    if (!missing) throw error;
    return new Response(missing.body, { status: 404, headers: missing.headers });
  }
}

const isLost = (status: number): boolean => status === 404 || status === 410 || status >= 500;

const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms));
