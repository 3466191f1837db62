// Names that the service worker and the pages share.

/** Returns the name of the site's cache, channel and lock. It contains the root, as other sites may share the host. */
export const nameFor = (root: string): string => `onthestack site ${root}`;

/** Returns the key of an empty entry that is in the cache if all files of a version are. */
export const completeKey = (root: string): string => `${root}?whole`;

/** The message that makes the worker fetch the missing files. */
export const FETCH_AGAIN = "fetch again";

/** The worker's message on the channel when it has fetched all files, or failed to. */
export type StoreEvent = { complete: true } | { failed: Failure };

/** The reason for a failure: the storage is full, or a file could not be fetched with the listed content. */
export type Failure = { why: "full"; total: number } | { why: "fetch" };
