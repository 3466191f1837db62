// Where this page is in the site: the book and the runner are found from there, under any base path.

/** A top-level const of mdBook's classic script, so not a property of window: it leads to the book's folder. */
declare const path_to_root: string;

const inBook = typeof path_to_root !== "undefined";

/** The folder that the site begins in, where the runner answers too. Pages around the book name it in <html data-root>. */
export function siteRoot(): string {
  const told = document.documentElement.dataset["root"] ?? (inBook ? `${path_to_root}../` : "/");
  return new URL(told, document.baseURI).href;
}

/** The book's folder. */
export function bookRoot(): string {
  return inBook ? new URL(path_to_root || "./", document.baseURI).href : `${siteRoot()}book/`;
}

/** Makes a link of one that begins at the site's root, "/exercises/exercise1/". Others are left as they are. */
export function fromRoot(href: string): string {
  return href.startsWith("/") ? siteRoot() + href.slice(1) : href;
}
