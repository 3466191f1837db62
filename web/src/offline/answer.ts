// How the service worker answers for the site: with new pages where there is a network, with kept ones where there is none.

import type { Kept } from "./kept.ts";

/** So long a network may take before the kept page is shown: some never answer and never fail. */
const PATIENCE_MS = 3000;

/** What is kept has a name like these; what the runner answers has none. */
const FILE = /(^|\/|\.(html|css|js|json|svg|png|ico|woff2?))$/;

/** The parts of Go's toolchain are kept by who fetches them. */
const ENGINE = /^engine\//;

/** Names that hold a hash of their content, as mdBook and Hugo make them. */
const FINGERPRINTED = /[.-]([0-9a-f]{8}|[0-9a-f]{64})(\.min)?\.\w+$/;

/** A request's answer; null where it is left to the browser: other hosts, the runner's API, the engine. */
export function answer(request: Request, root: string, kept: Kept): Promise<Response> | null {
  const { pathname, search, href } = new URL(request.url);
  if (request.method !== "GET" || !href.startsWith(root)) return null;
  const path = pathname.slice(new URL(root).pathname.length);
  if (ENGINE.test(path)) return null;
  if (!FILE.test(path)) {
    // A folder without its slash: hosts redirect, and so does this.
    const folder = request.mode === "navigate" && kept.has(`${path}/index.html`);
    return folder ? fetch(request).catch(() => Response.redirect(`${root}${path}/${search}`)) : null;
  }
  const file = path.replace(/(^|\/)$/, "$1index.html");
  const hash = /^\?v=([0-9a-f]{8,64})$/.exec(search)?.[1];
  return hash || FINGERPRINTED.test(file) ? keptFirst(request, file, hash, kept) : newest(request, file, kept);
}

/** The address names the content: what is kept is as good as what the network has. */
async function keptFirst(request: Request, file: string, hash: string | undefined, kept: Kept): Promise<Response> {
  return (await kept.find(file, hash)) ?? newest(request, file, kept);
}

/** What the network has, or what is kept where it fails, hangs, or has the file no longer: a tab of an older version asks for it. */
async function newest(request: Request, file: string, kept: Kept): Promise<Response> {
  const network = fetch(request);
  const reply = await Promise.race([network, after(PATIENCE_MS)]).catch(() => undefined);
  if (reply && !isLost(reply.status)) return reply;
  const found = await kept.find(file);
  if (found) return found;
  try {
    return await network;
  } catch (error) {
    const missing = request.mode === "navigate" && (await kept.find("404.html"));
    if (!missing) throw error;
    return new Response(missing.body, { status: 404, headers: missing.headers });
  }
}

const isLost = (status: number): boolean => status === 404 || status === 410 || status >= 500;

const after = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms));
