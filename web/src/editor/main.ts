// The editor's bundle: it only hands over what a page cannot do without an editor.

import { Exercise } from "../exercise/exercise.ts";
import { createEditor } from "./editor.ts";

globalThis.onthestackEditor = { createEditor, Exercise };
