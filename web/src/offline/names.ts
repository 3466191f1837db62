// What the service worker and the pages call the same.

/** The cache of the site's files, and the channel on which the worker tells how it got on. Other sites may share the host. */
export const nameFor = (root: string): string => `onthestack site ${root}`;

/** In the cache when all files of a version are. */
export const wholeIn = (root: string): string => `${root}?whole`;

/** Has the worker fetch what is gone. */
export const FETCH_AGAIN = "fetch again";

/** What the worker tells when it is done. */
export type News = { whole: true } | { failed: Failure };

/** Why a version could not be kept: the storage is full, or a file could not be had as it is listed. */
export type Failure = { why: "full"; total: number } | { why: "fetch" };
