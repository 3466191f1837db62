// Answers by the server or by the page: as the reader chose, and without a choice by the server, where it can be reached.

import type { Formatted, ProgramRun, Report, Verdict } from "../go/runner.ts";
import { isFields } from "../json.ts";
import type { Shared } from "../responses.ts";
import { awayWords, SERVER_AWAY } from "../away.ts";
import type { CallOptions, Offer, Outcome, Place, Runner, Where } from "../runner.ts";
import { siteRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import { loadBundle } from "../bundles.ts";
import type { Engine, EngineOptions } from "./engine.ts";
import { reached } from "./reached.ts";

/** What is remembered from visit to visit. */
interface Remembered {
  chosen?: Where;
  /** The reader let the page fetch what it takes, and the browser keeps it. */
  agreed?: boolean;
  /** A server has answered here. */
  server?: boolean;
}

const NAME = "engine";

/** The page's engine, or what is answered in its place; null where the site has none. */
type Found = { engine: Engine; bytes: number } | { answer: Outcome<never> } | null;

export class EitherRunner implements Runner, Place {
  readonly place = this;
  readonly #server: Runner;
  readonly #store: Store;
  readonly #folder: string;
  #remembered: Remembered;
  #found: Promise<Found> | null = null;
  #tellBoth: (() => void)[] = [];
  #keeps = false;
  /** The reader agreed to a download that the browser does not keep. This holds for the current visit only; the next one asks again. */
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

  /** Only a server keeps programs. */
  share(body: string, options: CallOptions = {}): Promise<Outcome<Shared>> {
    return this.#server.share(body, options);
  }

  async version(options: CallOptions = {}): Promise<Outcome<string>> {
    if (this.#remembered.chosen !== "page") {
      const outcome = await this.#server.version(options);
      if (outcome.kind !== "unreachable") return outcome;
    }
    const manifest = await this.#manifest();
    return manifest ? { kind: "ok", value: `${manifest.go} js/wasm` } : { kind: "unreachable", place: this.#folder };
  }

  chosen(): Where | null {
    return this.#remembered.chosen ?? null;
  }

  choose(where: Where): void {
    this.#remember({ chosen: where });
  }

  whenBoth(tell: () => void): void {
    this.#tellBoth.push(tell);
    void this.#lookForBoth();
  }

  async #ask<T>(
    options: CallOptions,
    call: (runner: Pick<Runner, "check" | "compile" | "escape" | "format">, options: EngineOptions) => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> {
    let answered: Outcome<T> | null = null;
    if (this.#remembered.chosen !== "page") {
      answered = await reached(this.#server, options, (o) => call(this.#server, o));
      if (answered.kind !== "unreachable") {
        if (answered.kind !== "canceled" && !this.#remembered.server) this.#remember({ server: true });
        void this.#lookForBoth();
        return answered;
      }
    }
    const lacks = missing();
    const page = lacks === "" ? await orCanceled(this.#page(), options.signal) : null;
    if (!page) {
      // Chosen, but this site has none.
      answered ??= await call(this.#server, options);
      if (lacks === "" || answered.kind !== "unreachable") return answered;
      return { kind: "refused", headline: SERVER_AWAY, message: `${awayWords(siteRoot())} This page could answer by itself, but ${lacks}.` };
    }
    if ("answer" in page) return page.answer;
    const { engine, bytes } = page;
    const outcome = await call(engine, { ...options, onFetching: (share) => options.onNews?.({ kind: "fetching", share, bytes }) });
    if (outcome.kind === "ok") this.#keep(engine, options);
    return outcome;
  }

  /** All who ask get the same engine; what is not one is looked for again. */
  async #page(): Promise<Found> {
    this.#found ??= this.#find();
    const found = await this.#found;
    if (!found || "answer" in found) this.#found = null;
    return found;
  }

  async #find(): Promise<Found> {
    try {
      const { findEngine } = await loadBundle("engine");
      const found = await findEngine(this.#folder, () => this.#agreed);
      if (!found || found.engine) return found;
      const { chosen, server } = this.#remembered;
      const offer: Offer = {
        ...found,
        chosen: chosen === "page",
        expected: server === true || !isSecureContext,
        accept: () => (found.keeps ? this.#remember({ agreed: true }) : void (this.#agreedNow = true)),
        decline: () => chosen === "page" && this.choose("server"),
      };
      return { answer: { kind: "offer", offer } };
    } catch (e) {
      // There is no network. Who has not asked for the page is told that the server cannot be reached.
      if (!this.#agreed && this.#remembered.chosen !== "page") return null;
      return { answer: { kind: "refused", headline: "Go's compiler could not be fetched", message: e instanceof Error ? e.message : String(e) } };
    }
  }

  get #agreed(): boolean {
    return this.#agreedNow || this.#remembered.agreed === true;
  }

  /** Has the browser keep the site too, and tells the first who asked what came of it, unless all was there before. */
  #keep(engine: Engine, options: CallOptions): void {
    if (this.#keeps) return;
    this.#keeps = true;
    void (async () => {
      let { why, fetched } = await engine.kept;
      if (why === "") {
        const site = await (await loadBundle("engine")).keepSite();
        if (site.kept) fetched ||= site.fetched;
        else why = site.why;
      }
      // The answer is shown first, which this follows upon.
      await new Promise((resolve) => setTimeout(resolve));
      if (fetched || why !== "") options.onNews?.({ kind: "kept", why });
    })();
  }

  async #manifest(): Promise<{ go: string } | null> {
    try {
      return await (await loadBundle("engine")).fetchManifest(this.#folder);
    } catch {
      return null;
    }
  }

  async #lookForBoth(): Promise<void> {
    if (!this.#remembered.server || this.#tellBoth.length === 0 || missing() !== "") return;
    const tell = this.#tellBoth;
    this.#tellBoth = [];
    try {
      const reply = await fetch(new URL("manifest.json", this.#folder), { method: "HEAD" });
      if (!reply.ok) return;
    } catch {
      return;
    }
    for (const one of tell) one();
  }

  #remember(more: Remembered): void {
    this.#remembered = { ...this.#remembered, ...more };
    this.#store.save(NAME, this.#remembered);
  }
}

function readRemembered(json: unknown): Remembered | null {
  if (!isFields(json)) return null;
  const { chosen, agreed, server } = json;
  return {
    ...(chosen === "server" || chosen === "page" ? { chosen } : {}),
    ...(agreed === true ? { agreed } : {}),
    ...(server === true ? { server } : {}),
  };
}

/** What this browser lacks for checking by itself, "" for nothing. */
function missing(): string {
  if (typeof WebAssembly !== "object") return "this browser runs no WebAssembly";
  if (typeof Worker !== "function") return "this browser has no workers";
  if (typeof BigInt64Array !== "function") return "this browser is too old for it";
  return "";
}

/** What a promise gives, or that the reader stopped waiting for it. */
function orCanceled<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T | { answer: Outcome<never> }> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const cancel = () => resolve({ answer: { kind: "canceled" } });
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", cancel));
  });
}
