// The editor's bundle, loaded where something is edited.

import { provideBundle } from "../bundles.ts";
import { createEditor } from "./editor.ts";

provideBundle("editor", { createEditor });
