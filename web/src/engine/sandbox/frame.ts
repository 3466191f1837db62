// The script of the sandbox frame, a document with an opaque origin: see ../sandbox-frame.ts. It only starts the
// supervisor in a worker: the frame may share the page's thread, so it must not process a program's messages.

import type { SandboxSetup } from "./protocol.ts";
import { startWorker } from "../start-worker.ts";

addEventListener("message", (event: MessageEvent<SandboxSetup>) => {
  if (event.source === parent) startWorker(event.data.supervisor).postMessage(event.data.program, [...event.ports]);
});
