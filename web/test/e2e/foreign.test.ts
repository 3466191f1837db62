// A page of another web site is open in a reader's browser, and the runner on the reader's machine does no work for it.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { Site } from "./site.ts";

describe("a page of another origin", () => {
  let site: Site;
  let other: Server;
  before(async () => {
    site = await Site.start();
    other = createServer((_, res) =>
      res.writeHead(200, { "Content-Type": "text/html" }).end('<iframe name="below"></iframe>'),
    );
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    other?.closeAllConnections();
    other?.close();
    await site?.stop();
  });

  /** Returns the runner's metrics by name and labels. */
  async function counted(): Promise<Map<string, number>> {
    const text = await (await fetch(`${site.runner.url}/metrics`)).text();
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(
      lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
    );
  }

  const refused = (now: Map<string, number>, path: string) =>
    now.get(`runner_http_requests_total{code="403",path="${path}"}`) ?? 0;

  test("cannot make the runner build, run or store anything, and reads nothing", async () => {
    const before = await counted();
    const page = await (await site.browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const read = await page.evaluate(async (runner) => {
      const program = "package main\n\nfunc main() { println(1) }\n";
      const read: string[] = [];
      const ask = async (path: string, request: RequestInit) => {
        try {
          const text = await (await fetch(runner + path, request)).text();
          if (text !== "") read.push(`${path}: ${text}`);
        } catch {
          // The browser does not show the answer to the page.
        }
      };
      // A browser sends these requests without a preflight request.
      await ask("/compile", { method: "POST", mode: "no-cors", body: new URLSearchParams({ body: program }) });
      await ask("/share", { method: "POST", mode: "no-cors", body: program });
      await ask("/share", { method: "POST", mode: "no-cors", referrerPolicy: "no-referrer", body: `${program}// 2` });
      navigator.sendBeacon(`${runner}/share`, `${program}// 3`);
      await new Promise((resolve) => {
        const image = new Image();
        image.onload = image.onerror = resolve;
        image.src = `${runner}/_ah/health`;
      });
      const form = document.createElement("form");
      Object.assign(form, { method: "post", enctype: "text/plain", action: `${runner}/share`, target: "below" });
      const field = document.createElement("input");
      Object.assign(field, { name: program, value: "4" });
      form.append(field);
      document.body.append(form);
      form.submit();
      // A browser sends a preflight request before these.
      await ask("/version", {});
      await ask("/check", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
      return read;
    }, site.runner.url);
    assert.deepEqual(read, []);
    let now = await counted();
    const deadline = Date.now() + 60_000;
    while (refused(now, "/share") < 4 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      now = await counted();
    }
    for (const [path, times] of [
      ["/share", 4],
      ["/compile", 1],
      ["/_ah/health", 1],
      ["/check", 1],
    ] as const) {
      assert.equal(refused(now, path), times, path);
    }
    for (const metric of [
      "runner_snippets",
      "runner_build_duration_seconds_count",
      "runner_run_duration_seconds_count",
    ]) {
      assert.equal(now.get(metric), before.get(metric), metric);
    }
    await page.context().close();
  });
});
