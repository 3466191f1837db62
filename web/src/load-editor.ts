// Fetches the editor's bundle, once for all that edit on a page.

import type { EditorBundle } from "./code-editor.ts";
import { bookRoot } from "./site-root.ts";

/** Set by the build: a hash of editor.js. */
declare const EDITOR_VERSION: string;

let loading: Promise<EditorBundle> | null = null;

/** Resolves to what is in the bundle, or rejects when its script cannot be had. */
export function loadEditor(): Promise<EditorBundle> {
  loading ??= new Promise<EditorBundle>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${bookRoot()}widgets/editor.js?v=${EDITOR_VERSION}`;
    script.onload = () => {
      if (globalThis.onthestackEditor) resolve(globalThis.onthestackEditor);
      else reject(new Error(`${script.src} did not set up an editor`));
    };
    script.onerror = () => reject(new Error(`${script.src} cannot be loaded`));
    document.head.append(script);
  });
  // A failure may pass: the next one who asks tries again.
  loading.catch(() => (loading = null));
  return loading;
}
