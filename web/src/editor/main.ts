// The script of the editor, which is loaded when a reader edits something.

import { provideBundle } from "../bundles.ts";
import { adoptStyle } from "../dom.ts";
import { createEditor } from "./editor.ts";

/** Set by the build. */
declare const EDITOR_STYLE: string;

adoptStyle(EDITOR_STYLE);

provideBundle("editor", { createEditor });
