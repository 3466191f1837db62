// Fetches the editor's bundle.

import { scriptLoader } from "./load-script.ts";

/** Set by the build: a hash of editor.js. */
declare const EDITOR_VERSION: string;

export const loadEditor = scriptLoader(`widgets/editor.js?v=${EDITOR_VERSION}`, () => globalThis.onthestackEditor);
