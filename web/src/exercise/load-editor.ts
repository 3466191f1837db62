// Fetches the editor's bundle, once for all exercises of a page.

import type { CreateEditor } from "./code-editor.ts";

/** Set by the build: a hash of editor.js. */
declare const EDITOR_VERSION: string;
/** A top-level const of mdBook's classic script, so not a property of window. */
declare const path_to_root: string;

let loading: Promise<CreateEditor> | null = null;

/** Resolves to the editor, or rejects when its script cannot be had. */
export function loadEditor(): Promise<CreateEditor> {
  loading ??= new Promise<CreateEditor>((resolve, reject) => {
    const root = typeof path_to_root === "undefined" ? "" : path_to_root;
    const script = document.createElement("script");
    script.src = `${root}widgets/editor.js?v=${EDITOR_VERSION}`;
    script.onload = () => {
      if (globalThis.onthestackEditor) resolve(globalThis.onthestackEditor);
      else reject(new Error(`${script.src} did not set up an editor`));
    };
    script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
    document.head.append(script);
  });
  return loading;
}
