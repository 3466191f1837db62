// A runner that prefers what the reader chose. Without a choice it asks the server, and falls back to the page's
// engine if the server cannot be reached or has no Go.

import type { Formatted, ProgramRun, Report } from "../go/runner.ts";
import type { Shared } from "../responses.ts";
import { unreachableText, SERVER_UNREACHABLE } from "../unreachable.ts";
import type { CallOptions, Offer, Outcome, Runner, RunnerChoice, Where } from "../runner.ts";
import { siteRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import { later } from "../later.ts";
import { isFields } from "../json.ts";
import type { Verdict } from "../go/runner.ts";
import { untilAborted } from "./abort.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { ENGINE_CACHE } from "./names.ts";
import { callOrProbe } from "./probe.ts";
import type { Build, Solution } from "./protocol.ts";

/** The state that is stored between visits. */
interface Remembered {
  chosen?: Where;
  /** The reader has agreed that the page fetches the engine, which the browser stores. */
  agreed?: boolean;
  /** A server has answered on this site before. */
  server?: boolean;
}

const NAME = "engine";

/**
 * The state of the page's engine, as far as it is known. Only "present" is final; in the other states it is looked up
 * again for the next request.
 */
type PageEngine =
  /** The site has no engine. */
  | { name: "absent" }
  /** The engine would have to be fetched, and the reader has not agreed. */
  | { name: "offered"; offer: Offer }
  /** The network failed. */
  | { name: "failed"; message: string }
  /**
   * bytes is the size of the parts as they are sent. On its first use, the engine fetches each part that is not cached.
   */
  | { name: "present"; engine: Engine; bytes: number; cached: boolean };

type Answering = Pick<Runner, "check" | "compile" | "escape" | "format" | "step">;

export class FallbackRunner implements Runner, RunnerChoice {
  readonly choice = this;
  readonly #server: Runner;
  readonly #store: Store;
  readonly #folder: string;
  #remembered: Remembered;
  /** The lookup of the engine, shared by all requests. */
  #lookup: Promise<PageEngine> | null = null;
  #onChoice: (() => void)[] = [];
  /** Whether something on the page is prepared already. */
  #prepares = false;
  /** Whether storing the site's pages has begun. */
  #storesSite = false;
  /**
   * The reader agreed to a download that the browser does not store. This holds for the current visit only; the next
   * one asks again.
   */
  #agreedNow = false;

  /** The engine's parts are in the folder. */
  constructor(server: Runner, store: Store, folder: string) {
    this.#server = server;
    this.#store = store;
    this.#folder = folder;
    this.#remembered = store.load(NAME, readRemembered) ?? {};
    store.onElsewhere(NAME, readRemembered, (remembered) => (this.#remembered = remembered ?? {}));
  }

  check(exercise: string, files: Record<string, string>, options: CallOptions = {}): Promise<Outcome<Verdict>> {
    return this.#ask(options, (runner, o) => runner.check(exercise, files, o));
  }

  compile(body: string, options: CallOptions = {}): Promise<Outcome<ProgramRun>> {
    return this.#ask(options, (runner, o) => runner.compile(body, o));
  }

  escape(body: string, options: CallOptions = {}): Promise<Outcome<Report>> {
    return this.#ask(options, (runner, o) => runner.escape(body, o));
  }

  format(body: string, options: CallOptions = {}): Promise<Outcome<Formatted>> {
    return this.#ask(options, (runner, o) => runner.format(body, o));
  }

  step(body: string, options: CallOptions = {}): Promise<Outcome<unknown>> {
    return this.#ask(options, (runner, o) => runner.step(body, o));
  }

  /** Only a server stores programs. */
  share(body: string, options: CallOptions = {}): Promise<Outcome<Shared>> {
    return this.#server.share(body, options);
  }

  async version(options: CallOptions = {}): Promise<Outcome<string>> {
    if (this.#remembered.chosen !== "page") {
      const outcome = await this.#server.version(options);
      if (outcome.kind === "ok") this.#noteServer();
      if (outcome.kind !== "unreachable") return outcome;
    }
    const manifest = await this.#manifest();
    return manifest ? { kind: "ok", value: `${manifest.go} js/wasm` } : { kind: "unreachable", url: this.#folder };
  }

  chosen(): Where | null {
    return this.#remembered.chosen ?? null;
  }

  choose(where: Where): void {
    this.#remember({ chosen: where });
  }

  whenBoth(tell: () => void): void {
    this.#onChoice.push(tell);
    void this.#lookForChoice();
  }

  agree(): void {
    this.#remember({ agreed: true });
  }

  prepare(build: () => Build): void {
    if (this.#prepares || missingFeature() !== "") return;
    this.#prepares = true;
    // Safari cannot tell when it has nothing else to do.
    (globalThis.requestIdleCallback ?? setTimeout)(async () => {
      try {
        const present = await this.#presentEngine();
        if (present?.cached) await (await import("./find.ts")).keepReady(present.engine, this.expected(), build);
      } catch {
        // The browser blocks its cache, or the network failed: the next request meets that again, and tells it.
      }
    });
  }

  expected(): Runner | null {
    return this.#remembered.chosen !== "page" && this.#remembered.server ? this.#server : null;
  }

  async build(solution: Solution, signal: AbortSignal): Promise<Verdict | null> {
    return (await this.#presentEngine())?.engine.build(solution, signal) ?? null;
  }

  /** Resolves to the page's engine if the browser keeps some of it, and does not start it. */
  async #presentEngine(): Promise<{ engine: Engine; cached: boolean } | null> {
    if (!(await caches.has(ENGINE_CACHE))) return null;
    const page = await this.#pageEngine(undefined);
    return page?.name === "present" ? page : null;
  }

  async #ask<T>(
    options: CallOptions, call: (runner: Answering, options: EngineOptions) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    let byServer: Outcome<T> | null = null;
    if (this.#remembered.chosen !== "page") {
      byServer = await callOrProbe(this.#server, options, (o) => call(this.#server, o));
      if (byServer.kind !== "unreachable" && !isUnable(byServer)) {
        if (byServer.kind !== "canceled") this.#noteServer();
        void this.#lookForChoice();
        return byServer;
      }
    }
    const missing = missingFeature();
    const page: PageEngine | null = missing === "" ? await this.#pageEngine(options.signal) : { name: "absent" };
    switch (page?.name) {
      case undefined:
        return { kind: "canceled" };
      case "absent":
        // The reader may have chosen the page on a site that has no engine.
        byServer ??= await call(this.#server, options);
        if (missing === "" || byServer.kind !== "unreachable") return byServer;
        return {
          kind: "refused",
          headline: SERVER_UNREACHABLE,
          message: `${unreachableText(siteRoot())} This page could do it by itself, but ${missing}.`,
        };
      case "offered":
        // A server that says that it cannot do this need not be asked again.
        if (byServer && isUnable(byServer)) return { kind: "offer", offer: { ...page.offer, expected: false } };
        return { kind: "offer", offer: page.offer };
      case "failed":
        return { kind: "refused", headline: "Go's compiler could not be fetched", message: page.message };
      case "present": {
        const { engine, bytes } = page;
        const onFetching = (share: number, part: number) =>
          options.onEvent?.({ kind: "fetching", share, bytes: part * bytes });
        const outcome = await call(engine, { ...options, onFetching });
        if (outcome.kind === "ok") this.#storeSite(engine, options);
        return outcome;
      }
    }
  }

  /** Looks the engine up; null if the signal is aborted meanwhile. */
  async #pageEngine(signal: AbortSignal | undefined): Promise<PageEngine | null> {
    this.#lookup ??= this.#findEngine().then((page) => {
      if (page.name !== "present") this.#lookup = null;
      return page;
    });
    try {
      return await (signal ? untilAborted(this.#lookup, signal) : this.#lookup);
    } catch (e) {
      if (signal?.aborted) return null;
      throw e;
    }
  }

  async #findEngine(): Promise<PageEngine> {
    try {
      const { findEngine } = await later(import("./find.ts"));
      const found = await findEngine(this.#folder, () => this.#agreed);
      if (!found) return { name: "absent" };
      if (found.engine) return { name: "present", ...found };
      const { chosen, server } = this.#remembered;
      const offer: Offer = {
        ...found,
        chosen: chosen === "page",
        expected: server === true || !isSecureContext,
        accept: () => (found.keeps ? this.agree() : void (this.#agreedNow = true)),
        decline: () => chosen === "page" && this.choose("server"),
      };
      return { name: "offered", offer };
    } catch (e) {
      // There is no network. A reader who has not asked for the page is told that the server cannot be reached.
      if (!this.#agreed && this.#remembered.chosen !== "page") return { name: "absent" };
      return { name: "failed", message: e instanceof Error ? e.message : String(e) };
    }
  }

  #noteServer(): void {
    if (!this.#remembered.server) this.#remember({ server: true });
  }

  get #agreed(): boolean {
    return this.#agreedNow || this.#remembered.agreed === true;
  }

  /**
   * Has the browser store the site too. Tells the first request whether that worked, unless everything was there
   * before.
   */
  #storeSite(engine: Engine, options: CallOptions): void {
    if (this.#storesSite) return;
    this.#storesSite = true;
    void (async () => {
      let { why, fetched } = await engine.cacheStatus;
      if (why === "") {
        const site = await (await later(import("./find.ts"))).keepSite();
        if (site.stored) fetched ||= site.fetched;
        else why = site.why;
      }
      // The answer is shown before this event arrives.
      await new Promise((resolve) => setTimeout(resolve));
      if (fetched || why !== "") options.onEvent?.({ kind: "stored", why });
    })();
  }

  async #manifest(): Promise<{ go: string } | null> {
    try {
      return await (await import("./find.ts")).fetchManifest(this.#folder);
    } catch {
      return null;
    }
  }

  /** Calls the listeners of whenBoth once a server has answered and the site is known to have an engine. */
  async #lookForChoice(): Promise<void> {
    if (!this.#remembered.server || this.#onChoice.length === 0 || missingFeature() !== "") return;
    const listeners = this.#onChoice;
    this.#onChoice = [];
    try {
      const reply = await fetch(new URL("manifest.json", this.#folder), { method: "HEAD" });
      if (!reply.ok) return;
    } catch {
      return;
    }
    for (const tell of listeners) tell();
  }

  #remember(more: Remembered): void {
    this.#remembered = { ...this.#remembered, ...more };
    this.#store.save(NAME, this.#remembered);
  }
}

/** Reports whether the server answers, but on a machine without Go. */
const isUnable = (outcome: Outcome<unknown>): boolean => outcome.kind === "refused" && outcome.unable === true;

function readRemembered(json: unknown): Remembered | null {
  if (!isFields(json)) return null;
  const { chosen, agreed, server } = json;
  return {
    ...(chosen === "server" || chosen === "page" ? { chosen } : {}),
    ...(agreed === true ? { agreed } : {}),
    ...(server === true ? { server } : {}),
  };
}

/** Returns what this browser lacks to check in the page, as the rest of a sentence; "" if it lacks nothing. */
function missingFeature(): string {
  if (typeof WebAssembly !== "object") return "this browser does not support WebAssembly";
  if (typeof Worker !== "function") return "this browser does not support web workers";
  if (typeof BigInt64Array !== "function") return "this browser is too old";
  return "";
}
