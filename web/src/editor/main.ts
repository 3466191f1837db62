// The script of the editor, which is loaded when a reader edits something.

import { provideBundle } from "../bundles.ts";
import { createEditor } from "./editor.ts";

provideBundle("editor", { createEditor });
