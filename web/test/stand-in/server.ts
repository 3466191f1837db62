// A static server for the built book, in which tests answer the requests to the runner.

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

export interface Request {
  path: string;
  body: string;
  /** The Accept header. */
  accept: string;
  /** Aborted if the client leaves before it is answered. */
  gone: AbortSignal;
}

/** A stream waits here until a test has seen what was sent before, however long that takes on a busy machine. */
export class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON unless it is a string. */
  body?: unknown;
  /** Server-sent events, sent one after the other instead of a body. A number is a wait in milliseconds. */
  stream?: (string | number | Gate)[];
  /** Milliseconds to wait before answering. */
  after?: number;
}

export interface ServerOptions {
  /** URL prefix of the files. */
  prefix: string;
  /** The folder of the files. */
  dir: string;
  /** Returns a page that the test makes; undefined for other paths. */
  page?: (path: string) => string | undefined;
  /** Answers POST requests. If it returns undefined, the answer is a 404 page in HTML, as on a static host. */
  post?: (request: Request) => Answer | undefined;
}

export interface Server {
  origin: string;
  close: () => Promise<void>;
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
};

/** Starts a server on a free port of 127.0.0.1. */
export async function serve(options: ServerOptions): Promise<Server> {
  const server = createServer((req, res) => {
    respond(req, res, options).catch((e: unknown) => {
      res.writeHead(500).end(String(e));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(req: IncomingMessage, res: ServerResponse, options: ServerOptions): Promise<void> {
  const path = new URL(req.url ?? "/", "http://localhost").pathname;
  if (req.method === "POST") {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const gone = new AbortController();
    res.on("close", () => {
      if (!res.writableFinished) gone.abort();
    });
    const answer = options.post?.({
      path,
      body: Buffer.concat(chunks).toString(),
      accept: req.headers.accept ?? "",
      gone: gone.signal,
    });
    if (!answer) return notFound(res);
    if (answer.after) await pause(answer.after);
    if (answer.stream) {
      res.writeHead(200, { "Content-Type": "text/event-stream", ...answer.headers });
      for (const part of answer.stream) {
        if (typeof part === "number") await pause(part);
        else if (part instanceof Gate) await part.opened;
        else res.write(part);
      }
      res.end();
      return;
    }
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    res.writeHead(answer.status ?? 200, { "Content-Type": "application/json", ...answer.headers }).end(text);
    return;
  }
  const made = options.page?.(path);
  if (made !== undefined) {
    res.writeHead(200, { "Content-Type": TYPES[".html"]! }).end(made);
    return;
  }
  if (path === "/version") {
    res
      .writeHead(200, { "Content-Type": "application/json" })
      .end('{"Version":"go1.26.8","Release":"go1.26","Name":"Go 1.26"}');
    return;
  }
  if (!path.startsWith(options.prefix)) return notFound(res);
  const file = join(options.dir, normalize("/" + path.slice(options.prefix.length)));
  try {
    const data = await readFile(file);
    res.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" }).end(data);
  } catch {
    notFound(res);
  }
}

/** Returns a server-sent event as text. */
export function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function notFound(res: ServerResponse): void {
  res.writeHead(404, { "Content-Type": "text/html" }).end("<h1>Not found</h1>");
}
