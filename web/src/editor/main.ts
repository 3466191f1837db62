// The editor's bundle: it only hands over how to make an editor.

import { createEditor } from "./editor.ts";

globalThis.onthestackEditor = createEditor;
