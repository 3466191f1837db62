// The button that keeps the workbook in the browser before there is no network: <p class="ots-offline">. It stays empty
// where the browser keeps no files.

import { button, el } from "../dom.ts";
import { ENGINE_CACHE } from "../engine/names.ts";
import { Fetching, keptWords } from "../fetching.ts";
import { isFields } from "../json.ts";
import { later } from "../later.ts";
import { megabytes } from "../responses.ts";
import type { Runner } from "../runner.ts";
import { siteRoot } from "../site-root.ts";
import { completeKey, nameFor } from "./names.ts";

/** Puts the button into the block, or the words that everything is kept already. */
export async function upgradeOffline(block: HTMLElement, runner: Runner): Promise<void> {
  if (!isSecureContext || !("serviceWorker" in navigator)) return;
  const root = siteRoot();
  try {
    if (await isKept(root)) return block.replaceChildren(keptWords(""));
    const bytes = await weight(root);
    if (bytes > 0) new UseOffline(block, runner, bytes);
  } catch {
    // The browser blocks its storage, or there is no network: nothing can be kept now.
  }
}

/** Reports whether the pages and the compiler are in the browser. */
async function isKept(root: string): Promise<boolean> {
  const [pages, compiler] = await Promise.all([
    caches.match(completeKey(root), { cacheName: nameFor(root) }),
    caches.match(`${root}engine/manifest.json`, { cacheName: ENGINE_CACHE }),
  ]);
  return pages !== undefined && compiler !== undefined;
}

/** Returns the most bytes that are fetched for the pages and the compiler; 0 if the site does not say it. */
async function weight(root: string): Promise<number> {
  const reply = await fetch(`${root}offline.json`);
  const json: unknown = reply.ok ? await reply.json() : null;
  if (!isFields(json)) return 0;
  const { bytes, engine } = json;
  return typeof bytes === "number" && typeof engine === "number" ? bytes + engine : 0;
}

class UseOffline {
  readonly #runner: Runner;
  readonly #words: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #live = el("span", { class: "ots-unseen", role: "status" });
  /** Stops fetching the compiler. Null if nothing is under way. */
  #stop: AbortController | null = null;

  constructor(block: HTMLElement, runner: Runner, bytes: number) {
    this.#runner = runner;
    this.#words = el("span", {}, `the pages and Go's compiler, at most ${megabytes(bytes)}`);
    this.#button = button("ots-button", () => (this.#stop ? this.#stop.abort() : void this.#keep()), "Use offline");
    block.replaceChildren(this.#button, " ", this.#words, this.#live);
  }

  async #keep(): Promise<void> {
    const { signal } = (this.#stop = new AbortController());
    this.#button.textContent = "Stop";
    // From now on a server that answers is known here, so that the page does not start the compiler beside it.
    void this.#runner.version();
    this.#runner.choice?.agree();
    try {
      void navigator.storage?.persist?.();
      const { keepEngine, keepSite } = await later(import("../engine/find.ts"));
      const fetching = new Fetching();
      const why = await keepEngine(`${siteRoot()}engine/`, signal, (share, bytes) => {
        const { words, announce } = fetching.words({ kind: "fetching", share, bytes });
        this.#say(words, announce);
      });
      if (why !== "") return this.#end(keptWords(why));
      this.#button.hidden = true; // the browser goes on by itself
      this.#say("Fetching the workbook's pages…");
      const site = await keepSite();
      this.#end(keptWords(site.stored ? "" : site.why), site.stored);
    } catch (e) {
      this.#end(signal.aborted ? "Stopped. What has arrived is kept." : (e as Error).message);
    }
  }

  #end(words: string, stored = false): void {
    this.#stop = null;
    this.#button.textContent = "Use offline";
    this.#button.hidden = stored;
    this.#say(words);
  }

  #say(words: string, announce = true): void {
    this.#words.textContent = words;
    if (announce) this.#live.textContent = words;
  }
}
