// The requests for the workspace, the folder of exercises that the server on this machine shares with checkalloc.

import { WorkspaceCopy } from "../go/workspace.ts";
import type { Files } from "../files.ts";
import { read } from "../json.ts";
import { readRefusal } from "../responses.ts";
import { siteRoot } from "../site-root.ts";

/** An answer, with the tag of its version. */
export interface Tagged<T> {
  tag: string;
  value: T;
}

/** What a page saves: the text, and what was shown of the exercise. */
export interface Change {
  files: Files;
  hints: number;
  spoiled: boolean;
}

/** The most bytes of a request that the browser sends although the reader has left the page. */
const MAX_KEPT_ALIVE = 60_000;

/** The requests. They reject with an error whose message is for the reader. */
export interface Api {
  /** Returns the progress file's text; null if its tag is still the same. */
  progress(tag: string): Promise<Tagged<string> | null>;
  /** Returns the code of an exercise in the workspace; null if its tag is still the same. */
  copy(exercise: string, tag: string): Promise<Tagged<WorkspaceCopy> | null>;
  /**
   * Replaces the code of an exercise in the workspace if its tag is still the same. Returns the code that is there now:
   * stored is false if it is another one.
   */
  save(exercise: string, change: Change, tag: string): Promise<Tagged<WorkspaceCopy> & { stored: boolean }>;
}

export const serverApi: Api = {
  async progress(tag) {
    const reply = await ask("", { headers: { "If-None-Match": tag } });
    return reply.status === 304 ? null : { tag: tagOf(reply), value: await reply.text() };
  },
  async copy(exercise, tag) {
    const reply = await ask(`/${exercise}`, { headers: { "If-None-Match": tag } });
    return reply.status === 304 ? null : copyIn(reply);
  },
  async save(exercise, change, tag) {
    const body = JSON.stringify(change);
    const headers = { "Content-Type": "application/json", "If-Match": tag };
    const request = { method: "PUT", headers, body, keepalive: body.length < MAX_KEPT_ALIVE };
    const reply = await ask(`/${exercise}`, request);
    return { ...(await copyIn(reply)), stored: reply.ok };
  },
};

const tagOf = (reply: Response) => reply.headers.get("ETag") ?? "";

async function copyIn(reply: Response): Promise<Tagged<WorkspaceCopy>> {
  const value = read(WorkspaceCopy, await reply.json(), "workspace", "folder", "files");
  if (!value) throw new Error("the server's answer is not valid");
  return { tag: tagOf(reply), value };
}

/** Sends a request. Its answer has the status 304 or 412, or is good. */
async function ask(path: string, request: RequestInit): Promise<Response> {
  let reply: Response;
  try {
    reply = await fetch(`${siteRoot()}api/workspace${path}`, request);
  } catch {
    throw new Error("the server does not answer");
  }
  if (reply.ok || reply.status === 304 || reply.status === 412) return reply;
  const refusal = readRefusal(await reply.json().catch(() => null));
  throw new Error(refusal ?? `the server answers with status ${reply.status}`);
}
