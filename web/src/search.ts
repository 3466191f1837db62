// The book's search is much to load for those who do not search: its scripts, which the build has marked
// type="text/later" (web/lighten.mjs), are fetched when it is asked for the first time.

import { el } from "./dom.ts";

const LATER = 'script[type="text/later"]';

/** Waits for the first wish to search, and repeats it once the search is there. */
export function loadSearchLater(): void {
  if (!document.querySelector(LATER)) return;
  const toggle = document.getElementById("mdbook-search-toggle");
  const wrapper = document.getElementById("mdbook-search-wrapper");
  const bar = document.querySelector<HTMLInputElement>("#mdbook-searchbar");
  const begin = (e: Event) => {
    if (e instanceof KeyboardEvent && !asks(e)) return;
    e.preventDefault();
    toggle?.removeEventListener("click", begin);
    document.removeEventListener("keydown", begin);
    // The reader goes on typing. The search begins closed, and selects what is there when it is opened.
    wrapper?.classList.remove("hidden");
    bar?.focus();
    void loadSearch().then(() => {
      toggle?.click();
      bar?.focus();
      bar?.setSelectionRange(bar.value.length, bar.value.length);
    });
  };
  // The address of a search, or of what one found: its words are marked.
  if (/[?&](search|highlight)=/.test(location.search)) {
    void loadSearch();
    return;
  }
  toggle?.addEventListener("click", begin);
  document.addEventListener("keydown", begin);
}

function asks(e: KeyboardEvent): boolean {
  const { target } = e;
  const typing = target instanceof HTMLElement && (target.isContentEditable || /^(input|select|textarea)$/i.test(target.nodeName));
  return (e.key === "/" || e.key === "s") && !typing && !e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey;
}

/** Runs the scripts in their order. */
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
