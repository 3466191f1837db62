// The URLs of the site and of the book, which may be below any path of a host.

/** A constant of mdBook's page, the relative URL of the book's folder. It is not a property of window. */
declare const path_to_root: string;

const inBook = typeof path_to_root !== "undefined";

/** Returns the URL of the site, and of the runner. Pages outside the book have it in <html data-root>. */
export function siteRoot(): string {
  const root = document.documentElement.dataset["root"] ?? (inBook ? `${path_to_root}../` : "/");
  return new URL(root, document.baseURI).href;
}

/** Returns the URL of the book's folder. */
export function bookRoot(): string {
  return inBook ? new URL(path_to_root || "./", document.baseURI).href : `${siteRoot()}book/`;
}

/** Reports whether the page tells where its repository is. Without that, advice that needs a clone is of no use. */
export function hasRepository(): boolean {
  return document.querySelector("[data-repository]") !== null;
}

/** Resolves a link that begins at the site's root, such as "/exercises/exercise6/". Others are returned as they are. */
export function fromRoot(href: string): string {
  return href.startsWith("/") ? siteRoot() + href.slice(1) : href;
}
