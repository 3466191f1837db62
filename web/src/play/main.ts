// The script of the editor's page: /play, and /p/ID for a shared program.

import { el } from "../dom.ts";
import { pageRunner } from "../page-runner.ts";
import { printLight } from "../printing.ts";
import { siteRunner } from "../runner-client.ts";
import { browserStore, visitStore } from "../store.ts";
import { programHere } from "./address.ts";
import { Drafts } from "./drafts.ts";
import { Play } from "./play.ts";

const root = document.querySelector<HTMLElement>(".ots-play");
const source = root?.querySelector<HTMLTextAreaElement>(".ots-play-source");
if (root && source) {
  printLight(".ots-result details:not([open])");
  import("../editor/editor.ts").then(
    ({ createEditor }) =>
      new Play(root, {
        createEditor,
        runner: pageRunner(browserStore()),
        server: siteRunner(),
        drafts: new Drafts(browserStore(), visitStore()),
        store: browserStore(),
        id: programHere(),
        text: source.value,
      }),
    () =>
      root.prepend(
        el("p", { class: "ots-notice is-problem" }, "The editor could not be loaded. Reload the page to try again."),
      ),
  );
}
