// Loads the bundles that few pages need, each once for all that ask for it on a page.

import { bookRoot } from "./site-root.ts";

/**
 * Returns a function that resolves to what a script of the book sets up, or rejects when the script cannot be had.
 * @param source the script below the book's folder, with a query that changes with its content
 * @param read what the script has set up, undefined before it has run
 */
export function scriptLoader<T>(source: string, read: () => T | undefined): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= new Promise<T>((resolve, reject) => {
      const script = document.createElement("script");
      script.src = bookRoot() + source;
      script.onload = () => {
        const loaded = read();
        if (loaded) resolve(loaded);
        else reject(new Error(`${script.src} ran and did not set up what it should. Reload the page.`));
      };
      script.onerror = () => reject(new Error("The connection broke off. Press the button again when the network is back."));
      document.head.append(script);
    });
    // A failure may pass: the next one who asks tries again.
    loading.catch(() => (loading = null));
    return loading;
  };
}
