// A program that gains access to the JavaScript around it reaches neither the page nor the network.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchForEngine } from "../browser/chromium.ts";
import { root } from "../e2e/site.ts";
import { exercisesOf, type Exercise } from "../e2e/workbook.ts";
import { PATH, tree } from "../site/site-below.ts";
import { sampleOf } from "../sample.ts";
import { StaticHost } from "../static-host.ts";
import { checkIn, runIn, startEngine } from "./page-engine.ts";
import { reaches, scripted } from "./reaching.ts";

const SECRET = "the page's own";

describe("a program that reaches JavaScript", () => {
  let host: StaticHost;
  /** Another host, which allows requests from any origin. */
  let other: Server;
  let met: string[];
  let browser: Browser;
  let page: Page;
  let exercise: Exercise;
  before(async () => {
    exercise = (await exercisesOf(root))[0]!;
    host = await StaticHost.start(tree, PATH);
    other = createServer((req, res) => {
      met.push(`${req.method} ${req.url}`);
      res.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Type": "text/javascript" }).end("1");
    });
    other.on("upgrade", (req, socket) => {
      met.push(`upgrade ${req.url}`);
      socket.destroy();
    });
    other.on("connection", () => met.push("connection"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    browser = await launchForEngine();
    page = await browser.newPage();
    await page.goto(`${host.url}book/introduction.html`);
    await page.evaluate(async (secret) => {
      localStorage.setItem("secret", secret);
      document.cookie = `secret=${encodeURIComponent(secret)}`;
      const cache = await caches.open("secret");
      await cache.put("secret", new Response(secret));
      await new Promise((resolve) => {
        const opening = indexedDB.open("secret");
        opening.onupgradeneeded = () => opening.result.createObjectStore(secret);
        opening.onsuccess = resolve;
      });
      const messages: unknown[] = [];
      addEventListener("message", (e) => messages.push(e.data));
      new BroadcastChannel("secret").addEventListener("message", (e) => messages.push(e.data));
      Object.assign(globalThis, { messages });
    }, SECRET);
    await startEngine(page);
    met = [];
  });
  after(async () => {
    await browser?.close();
    await host?.stop();
    other?.closeAllConnections();
    other?.close();
  });

  const checks = async () => {
    const { outcome } = await checkIn(page, exercise.id, exercise.solution);
    assert.ok(outcome.kind === "ok" && outcome.value.pass, `the next check: ${JSON.stringify(outcome)}`);
  };
  const works = async () => {
    const hello = await runIn(page, 'package main\n\nfunc main() { println("hi") }\n');
    assert.equal(printed(hello.outcome), "hi\n");
  };
  const printed = (outcome: Awaited<ReturnType<typeof runIn>>["outcome"]): string => {
    assert.equal(outcome.kind, "ok", JSON.stringify(outcome));
    return outcome.kind === "ok" ? outcome.value.errors + outcome.value.events.map((e) => e.message).join("") : "";
  };
  const elsewhere = (name: string) => `http://${name}:${(other.address() as AddressInfo).port}/`;

  test("reaches JavaScript, without which the other tests would prove nothing", async () => {
    const { outcome } = await runIn(
      page,
      reaches('\tprintln(text(get(get(global, "constructor"), "name")), text(get(get(global, "location"), "origin")))'),
    );
    assert.equal(printed(outcome), "DedicatedWorkerGlobalScope null\n");
  });

  test("has no network and no storage", async () => {
    const asked = host.asked.length;
    met = [];
    const { outcome } = await runIn(
      page,
      reaches(`
	for _, at := range []string{${JSON.stringify(host.url)}, "${elsewhere("127.0.0.1")}"} {
		call(global, "fetch", stringVal(at))
		x := object("XMLHttpRequest")
		call(x, "open", stringVal("GET"), stringVal(at), number(0))
		call(x, "send")
		call(global, "importScripts", stringVal(at))
		object("WebSocket", stringVal("ws"+at[4:]))
		object("EventSource", stringVal(at))
		object("Worker", stringVal(at))
	}
	call(get(global, "indexedDB"), "open", stringVal("secret"))
	call(object("BroadcastChannel", stringVal("secret")), "postMessage", stringVal("from the program"))
	call(global, "postMessage", stringVal("from the program"))
	println(text(get(global, "caches")), text(get(global, "localStorage")), text(get(global, "document")), text(get(global, "parent")))`),
    );
    const said = printed(outcome);
    for (const refused of [
      "send: NetworkError",
      "importScripts: NetworkError",
      "Worker: SecurityError",
      "open: SecurityError",
    ])
      assert.ok(said.includes(refused), said);
    assert.match(said, /undefined undefined undefined undefined\n$/);
    await nobodyMet(asked);
    await works();
  });

  // A worker of the program's own runs any script, but under the frame's policy.
  test("has none in a worker of its own either", async () => {
    const asked = host.asked.length;
    met = [];
    const { outcome } = await runIn(
      page,
      scripted(attempts([host.url, elsewhere("127.0.0.1"), elsewhere("localhost")])),
    );
    const told = JSON.parse(printed(outcome)) as string[];
    assert.ok(told.length >= 3 * 11 + 11, told.join("\n"));
    assert.deepEqual(
      told.filter((line) => /: GOT /.test(line)),
      [],
    );
    await nobodyMet(asked);
    await works();
  });

  async function nobodyMet(asked: number): Promise<void> {
    assert.deepEqual(met, [], "another host was reached");
    assert.deepEqual(host.asked.slice(asked), [], "the site's host was reached");
    assert.deepEqual(
      await page.evaluate(() => (globalThis as unknown as { messages: unknown[] }).messages),
      [],
      "the page was told something",
    );
  }

  const post = (message: string) => `\tcall(global, "postMessage", ${message})\n`;
  const ended = 'record(map[string]uint64{"kind": stringVal("ended"), "exit": number(0)})';
  const began = 'record(map[string]uint64{"kind": stringVal("began")})';
  const MESSAGES = [
    ["says that it began, again and again", `\tfor {\n${post(began)}\t}`, /timeout running program|Output too large/],
    ["says that it ended", post(ended) + "\tfor {}", /^$/],
    [
      "says that it ended by nonsense",
      post(
        'record(map[string]uint64{"kind": stringVal("ended"), "exit": stringVal("x"), ' +
          '"stop": stringVal("constructor"), "trap": list()})',
      ) + "\tfor {}",
      /^$/,
    ],
    [
      "says nonsense",
      post('stringVal("x")') +
        post("number(1)") +
        post("list()") +
        post('record(map[string]uint64{"kind": stringVal("printed"), "printed": number(1)})') +
        post('record(map[string]uint64{"kind": stringVal("printed"), "printed": list(number(1))})') +
        post('record(map[string]uint64{"kind": stringVal("reported"), "bytes": number(1)})'),
      /^$/,
    ],
    [
      "says megabytes",
      `\tbig := call(stringVal("x"), "repeat", number(100<<20))\n\tfor {\n` +
        `${post('record(map[string]uint64{"kind": stringVal("printed"), "printed": list(big)})')}\t}`,
      /timeout running program|Output too large/,
    ],
    [
      "says little of much",
      '\tmuch := get(object("Uint8Array", number(200<<20)), "buffer")\n\tfor {\n' +
        post(
          'record(map[string]uint64{"kind": stringVal("printed"), ' +
            '"packed": object("Uint8Array", much, number(0), number(14))})',
        ) +
        "\t}",
      /^Output too large/,
    ],
    [
      "says what takes long to read",
      `\tmany := call(get(global, "Array"), "from", call(stringVal("x"), "repeat", number(4<<20)))\n\tfor {\n` +
        `${post('record(map[string]uint64{"kind": stringVal("printed"), "packed": many})')}\t}`,
      /timeout running program|Output too large/,
    ],
    ["floods", "\tfor {\n" + post("number(1)") + "\t}", /timeout running program|Output too large/],
    ["closes its worker", '\tcall(global, "close")\n\tfor {}', /timeout running program after 8s/],
    [
      "throws",
      '\tvalueSet(global, "onmessage", number(1))\n\tcall(global, "reportError", stringVal("x"))',
      /^$|the program was stopped: /,
    ],
    [
      "revokes the address of what runs programs",
      '\tcall(get(global, "URL"), "revokeObjectURL", get(get(global, "location"), "href"))',
      /^$/,
    ],
    [
      "replaces what is global",
      '\tfor _, name := range []string{"postMessage", "MessageChannel", "Worker", "Uint8Array", "Promise", ' +
        '"setTimeout", "WebAssembly"} { valueSet(global, name, number(1)) }',
      /^timeout running program after 8s\n$/,
    ],
  ] as const;
  for (const [name, statements, expected] of sampleOf(MESSAGES, 5, ([name]) => name)) {
    test(name, async () => {
      const { outcome } = await runIn(page, reaches(statements));
      const said = printed(outcome);
      assert.match(said, expected);
      await works();
    });
  }

  test("the next check after these programs", checks);
});

/**
 * Returns a script that tries every way to reach the network from a worker, and posts a line for each: "fetch:
 * TypeError", or "fetch: GOT …".
 */
function attempts(places: string[]): string {
  return `
    const told = [];
    const nothing = () => new Promise((_, reject) => setTimeout(() => reject(new TypeError("nothing")), 1500));
    const attempt = async (name, f) => {
      try {
        told.push(name + ": GOT " + (await Promise.race([f(), nothing()])));
      } catch (e) {
        told.push(name + ": " + e.name);
      }
    };
    const event = (target, ...good) => new Promise((resolve, reject) => {
      for (const name of good) target.addEventListener(name, () => resolve(name));
      target.addEventListener("error", () => reject(new TypeError("error")));
    });
    const tries = ${JSON.stringify(places)}.flatMap((at) => [
      attempt("fetch", () => fetch(at)),
      attempt("fetch no-cors", () => fetch(at, { mode: "no-cors", keepalive: true, method: "POST", body: "x" })),
      attempt("XMLHttpRequest", () => {
        const x = new XMLHttpRequest();
        x.open("GET", at, false);
        x.send();
        return x.status;
      }),
      attempt("importScripts", () => importScripts(at)),
      attempt("importScripts blob", () => importScripts(URL.createObjectURL(new Blob(["1"])))),
      attempt("import", () => import(at)),
      attempt("EventSource", () => event(new EventSource(at), "open", "message")),
      attempt("WebSocket", () => event(new WebSocket(at.replace("http", "ws")), "open")),
      attempt("Worker", () => event(new Worker(at), "message")),
      attempt("WebTransport", () => new WebTransport(at.replace("http", "https")).ready),
      attempt("FontFace", () => new FontFace("x", "url(" + at + "x.woff2)").load()),
    ]);
    tries.push(
      attempt("eval", () => eval("1")),
      attempt("Function", () => new Function("return 1")()),
      attempt("caches", () => caches.open("secret")),
      attempt("indexedDB", () => event(indexedDB.open("secret"), "success")),
      attempt("localStorage", () => localStorage.getItem("secret")),
      attempt("cookieStore", () => cookieStore.getAll()),
      attempt("directory", () => navigator.storage.getDirectory()),
      attempt("locks", () => navigator.locks.request("secret", () => "held")),
      attempt("sendBeacon", () => navigator.sendBeacon(${JSON.stringify(places[0])})),
      attempt("RTC", () => new RTCPeerConnection()),
      attempt("document", () => document.cookie),
      attempt("parent", () => self.parent.document),
    );
    new BroadcastChannel("secret").postMessage("from the program");
    Promise.all(tries).then(() => postMessage(JSON.stringify(told)));`;
}
