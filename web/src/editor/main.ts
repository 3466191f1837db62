// The editor's bundle, loaded where something is edited.

import { createEditor } from "./editor.ts";

globalThis.onthestackEditor = { createEditor };
