// A proxy in front of the runner for a site below a path: it removes the path, and serves nothing else.

import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  /** The URL of the path, with a slash at its end. */
  url: string;
  close(): Promise<void>;
}

/** Serves the server at target below path ("/workbook/"), on a free port. */
export async function below(path: string, target: string): Promise<Proxy> {
  const server = createServer((req, res) => {
    if (req.url?.startsWith(path)) pass(req, res, new URL(target), req.url.slice(path.length - 1));
    else res.writeHead(421, { "Content-Type": "text/plain" }).end(`${req.url} is outside ${path}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(req: IncomingMessage, res: ServerResponse, target: URL, path: string): void {
  const onward = request(
    { host: target.hostname, port: target.port, method: req.method, path, headers: req.headers },
    (answer) => {
      res.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(res);
    },
  );
  onward.on("error", (error) => {
    if (!res.headersSent) res.writeHead(502);
    res.end(String(error));
  });
  res.on("close", () => onward.destroy());
  req.pipe(onward);
}
