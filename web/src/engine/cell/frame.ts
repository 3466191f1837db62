// The script of the frame in which programs run: a document of no origin, see ../cell.ts. It only starts the keeper: the frame may
// share the page's thread, and what a program says is not to be heard there.

import type { CellSetUp } from "./protocol.ts";
import { startWorker } from "../start-worker.ts";

addEventListener("message", (event: MessageEvent<CellSetUp>) => {
  if (event.source === parent) startWorker(event.data.keeper).postMessage(event.data.program, [...event.ports]);
});
