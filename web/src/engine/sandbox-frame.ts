// The sandbox in which programs run: a frame with an opaque origin, so without storage, cookies or access to the page,
// and with a policy that allows no network. Programs run in workers of the frame, which inherit both. See
// sandbox/supervisor.ts. The runner's sandbox is another: the Go package internal/sandbox.

/**
 * Set by the build: the frame's script, and its hash as a policy names it. The policies of all pages contain the same
 * hash.
 */
declare const SANDBOX_FRAME_SCRIPT: string;
declare const SANDBOX_FRAME_HASH: string;
/** Set by the build: the scripts of the supervisor and of the worker in which a program runs. */
declare const SANDBOX_SUPERVISOR_SCRIPT: string;
declare const SANDBOX_WORKER_SCRIPT: string;

import type { SandboxSetup } from "./sandbox/protocol.ts";

/** The time limit for opening the frame. No event reports that a policy forbids it. */
const OPENS_WITHIN_MS = 10_000;

const NOT_OPENED =
  "The frame in which programs run could not be opened: " +
  "the site has changed since this page was opened, or its host forbids it. Reload the page.";

export interface SandboxFrame {
  /** The port on which the supervisor receives programs: the engine's worker gets it. */
  port: MessagePort;
  /** Rejects if the frame cannot be opened. */
  opened: Promise<void>;
  /** Ends all that runs in the frame. */
  remove(): void;
}

/** Opens a sandbox in the page. exec is the text of wasm_exec.js, which runs Go programs. */
export function openSandboxFrame(exec: string): SandboxFrame {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  frame.hidden = true;
  frame.tabIndex = -1;
  frame.title = "Programs run in this frame";
  const policy = `default-src 'none'; script-src '${SANDBOX_FRAME_HASH}' 'wasm-unsafe-eval'; worker-src blob:`;
  // The policy has the hash of exactly this script, so no space may be added.
  frame.srcdoc =
    `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">` +
    `<script>${SANDBOX_FRAME_SCRIPT}</script>`;
  const programs = new MessageChannel();
  const ready = new MessageChannel();
  const opened = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(NOT_OPENED)), OPENS_WITHIN_MS);
    ready.port1.onmessage = () => {
      clearTimeout(timer);
      ready.port1.close();
      resolve();
    };
  });
  frame.addEventListener("load", () => {
    const setup: SandboxSetup = { supervisor: SANDBOX_SUPERVISOR_SCRIPT, program: `${exec}\n${SANDBOX_WORKER_SCRIPT}` };
    frame.contentWindow?.postMessage(setup, "*", [programs.port2, ready.port2]);
  }, { once: true });
  document.body.append(frame);
  return { port: programs.port1, opened, remove: () => frame.remove() };
}
