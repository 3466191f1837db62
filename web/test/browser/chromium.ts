// Finds and starts the machine's Chromium.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from "playwright-core";
import { sampled } from "../sample.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

export const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * A flag for tests that start the engine often and compute little in it. It restricts V8 to Liftoff, its baseline
 * compiler for WebAssembly. Optimizing Go's compiler as well would double the processor time of a first check.
 */
export const UNOPTIMIZED = "--js-flags=--liftoff-only";

export const NO_CHROMIUM =
  "no Chromium: the browser tests did not run. Install it (Debian: apt-get install chromium) or name it in CHROMIUM";

/** Returns the path of the browser: $CHROMIUM, or the first on PATH; null if there is none. */
export function findChromium(): string | null {
  const named = process.env["CHROMIUM"];
  if (named) return named;
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of NAMES) {
      const path = join(dir, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Try the next folder.
      }
    }
  }
  return null;
}

/** Starts Chromium, with more flags than usual if some are given. Rejects with an error that says what to install. */
export async function launchChromium(...more: string[]): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(NO_CHROMIUM);
  return chromium.launch({ executablePath, args: [...FLAGS, ...more] });
}

/**
 * Starts Chromium with a new profile, as readers have one: in other contexts, which store nothing on a disk, it keeps no
 * machine code of WebAssembly. Closing the context ends the browser and removes the profile.
 */
export async function launchProfile(options: BrowserContextOptions): Promise<BrowserContext> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(NO_CHROMIUM);
  return chromium.launchPersistentContext("", { executablePath, args: FLAGS, ...options });
}

/**
 * Starts Chromium for tests in which the engine checks and runs many programs. make proof restricts V8 as UNOPTIMIZED
 * does, and make nightly has the browser that readers have.
 */
export const launchForEngine = (): Promise<Browser> => launchChromium(...(sampled ? [UNOPTIMIZED] : []));
