// The cell: where programs run. It is a frame without an origin, so without storage, cookies or a way into the page, and its policy
// lets nothing in it reach a network. Programs run in workers of the frame, which inherit that. See cell/keeper.ts.

/** Set by the build: the frame's script, and its hash as a policy names it, which is in the policy of all pages too. */
declare const CELL_SCRIPT: string;
declare const CELL_HASH: string;
/** Set by the build: the scripts of the keeper, and of the worker that a program runs in. */
declare const CELL_KEEPER_SCRIPT: string;
declare const CELL_WORKER_SCRIPT: string;

import type { CellSetUp } from "./cell/protocol.ts";

const POLICY = `default-src 'none'; script-src '${CELL_HASH}' 'wasm-unsafe-eval'; worker-src blob:`;

/** It takes a moment; where a policy forbids it, nothing says so. */
const OPENS_WITHIN_MS = 10_000;

const SHUT = "What programs run in could not be opened: the site has changed since this page was opened, or its host forbids it. Reload the page.";

export interface Cell {
  /** The engine's end of the line to the keeper. */
  port: MessagePort;
  /** Rejects where it cannot be opened. */
  opened: Promise<void>;
  /** Ends all that runs in it. */
  remove(): void;
}

/** Opens a cell in the page, for programs that run by exec, the text of wasm_exec.js. */
export function openCell(exec: string): Cell {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  frame.hidden = true;
  frame.tabIndex = -1;
  frame.title = "Where programs run";
  // Not a space more: the policy has a hash of exactly this script.
  frame.srcdoc = `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script>${CELL_SCRIPT}</script>`;
  const line = new MessageChannel();
  const ready = new MessageChannel();
  const opened = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(SHUT)), OPENS_WITHIN_MS);
    ready.port1.onmessage = () => {
      clearTimeout(timer);
      ready.port1.close();
      resolve();
    };
  });
  frame.addEventListener("load", () => {
    const setUp: CellSetUp = { keeper: CELL_KEEPER_SCRIPT, program: `${exec}\n${CELL_WORKER_SCRIPT}` };
    frame.contentWindow?.postMessage(setUp, "*", [line.port2, ready.port2]);
  }, { once: true });
  document.body.append(frame);
  return { port: line.port1, opened, remove: () => frame.remove() };
}
