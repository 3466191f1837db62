// Loads the scripts of the book's search when the reader first searches, because they are large. The build has marked
// them with type="text/later": see web/lighten.mjs.

import { el } from "./dom.ts";

const LATER = 'script[type="text/later"]';

/** Loads the search when the reader first opens it, and opens it then. */
export function loadSearchLater(): void {
  if (!document.querySelector(LATER)) return;
  const toggle = document.getElementById("mdbook-search-toggle");
  if (toggle) toggle.style.visibility = "visible";
  const wrapper = document.getElementById("mdbook-search-wrapper");
  const bar = document.querySelector<HTMLInputElement>("#mdbook-searchbar");
  const begin = (e: Event) => {
    if (e instanceof KeyboardEvent && !opensSearch(e)) return;
    e.preventDefault();
    toggle?.removeEventListener("click", begin);
    document.removeEventListener("keydown", begin);
    // The reader can type meanwhile. When the search opens, it selects the text, so the cursor is moved to the end.
    wrapper?.classList.remove("hidden");
    bar?.focus();
    void loadSearch().then(() => {
      toggle?.click();
      bar?.focus();
      bar?.setSelectionRange(bar.value.length, bar.value.length);
    });
  };
  // The URL is a search's, or a result's, in which the search marks the words.
  if (/[?&](search|highlight)=/.test(location.search)) {
    void loadSearch();
    return;
  }
  toggle?.addEventListener("click", begin);
  document.addEventListener("keydown", begin);
}

/** Reports whether a key opens the search. */
function opensSearch(e: KeyboardEvent): boolean {
  const { target } = e;
  const typing =
    target instanceof HTMLElement && (target.isContentEditable || /^(input|select|textarea)$/i.test(target.nodeName));
  return (e.key === "/" || e.key === "s") && !typing && !e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey;
}

/** Runs the scripts in order. */
async function loadSearch(): Promise<void> {
  for (const later of document.querySelectorAll<HTMLScriptElement>(LATER)) {
    await new Promise<void>((resolve) => {
      const script = el("script", { src: later.src });
      script.onload = () => resolve();
      script.onerror = () => {
        console.error(`${script.src} cannot be loaded: there is no search`);
        resolve();
      };
      later.replaceWith(script);
    });
  }
}
