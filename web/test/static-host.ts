// A static file host with simple behavior, whose network can fail.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

const CODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

const CHUNK = 64 << 10;

/** A response: the file and the compression, "" for none. */
export interface Sent {
  path: string;
  status: number;
  bytes: number;
  coding: string;
}

interface Answer {
  bytes: Buffer;
  type: string;
  coding: string;
}

export class StaticHost {
  /** Requests are answered, or their connections are broken, or they are left without an answer. */
  network: "up" | "cut" | "hangs" = "up";
  /** The number of further requests that are answered before connections break. */
  left = Infinity;
  /** The compressions that it negotiates: it sends NAME.br or NAME.gz if the browser accepts that. */
  negotiates: readonly ("br" | "gzip")[] = [];
  /** Whether it sends NAME.gz with Content-Encoding: gzip, as some hosts do, so that browsers decompress it. */
  unpacksGz = false;
  /** Returns, for a path below its own, the number of bytes after which the connection breaks, or null. */
  breaks: (name: string) => number | null = () => null;
  /** Returns other bytes to send in place of a file's, or null for status 404. */
  replaces: (name: string, bytes: Buffer) => Buffer | null = (_, bytes) => bytes;
  /** The paths that were requested. */
  readonly asked: string[] = [];
  /** The responses, in order. */
  readonly sent: Sent[] = [];

  private constructor(
    private readonly server: ReturnType<typeof createServer>,
    private readonly below: string,
    /** The folder whose files are served. Another folder is another version of the site. */
    public folder: string,
  ) {}

  /** Starts a host that serves a folder below a path ("/workbook/"), on a free port. */
  static async start(folder: string, below: string): Promise<StaticHost> {
    const server = createServer((req, res) => void host.answer(req, res));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const host = new StaticHost(server, below, folder);
    return host;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.below}`;
  }

  private async answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(req.url ?? "/", "http://host").pathname);
    this.asked.push(path);
    if (this.network === "hangs") return;
    if (this.network === "cut" || this.left-- <= 0) return void req.socket.destroy();
    const headers = { "Cache-Control": "no-cache" };
    if (req.method !== "GET" && req.method !== "HEAD") return void res.writeHead(405, headers).end();
    const name = normalize("/" + path.slice(this.below.length)).slice(1);
    const found = path.startsWith(this.below) ? await this.find(name, req) : null;
    if (found === "folder") return void res.writeHead(301, { ...headers, Location: `${path}/` }).end();
    if (!found) {
      this.sent.push({ path, status: 404, bytes: 0, coding: "" });
      const page = await readFile(join(this.folder, "404.html")).catch(() => "");
      return void res.writeHead(404, { ...headers, "Content-Type": TYPES[".html"] }).end(page);
    }
    const { bytes, type, coding } = found;
    const record = { path, status: 200, bytes: 0, coding };
    this.sent.push(record);
    res.writeHead(200, {
      ...headers,
      "Content-Type": type,
      "Content-Length": bytes.length,
      ...(coding && { "Content-Encoding": coding }),
    });
    if (req.method === "HEAD") return void res.end();
    const end = this.breaks(name) ?? Infinity;
    // Bytes are counted as they leave, because a browser may stop reading.
    while (record.bytes < bytes.length && !res.destroyed) {
      if (record.bytes >= end) return void setTimeout(() => req.socket.destroy(), 50);
      const chunk = bytes.subarray(record.bytes, Math.min(record.bytes + CHUNK, end));
      record.bytes += chunk.length;
      if (!res.write(chunk)) await drained(res);
    }
    res.end();
  }

  private async find(name: string, req: IncomingMessage): Promise<Answer | "folder" | null> {
    const file = /(^|\/)$/.test(name) ? `${name}index.html` : name;
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    const read = async (suffix: string) =>
      this.replaces(file + suffix, await readFile(join(this.folder, file + suffix)));
    try {
      for (const [coding, suffix] of CODINGS) {
        if (!this.negotiates.includes(coding) || !String(req.headers["accept-encoding"]).includes(coding)) continue;
        const bytes = await read(suffix).catch(() => null);
        if (bytes) return { bytes, type, coding };
      }
      const bytes = await read("");
      return bytes && { bytes, type, coding: this.unpacksGz && file.endsWith(".gz") ? "gzip" : "" };
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EISDIR" ? "folder" : null;
    }
  }

  /** Ends all connections, including idle ones. */
  cut(): void {
    this.network = "cut";
    this.server.closeAllConnections();
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off("drain", go).off("close", go);
      resolve();
    };
    res.once("drain", go).once("close", go);
  });
}
