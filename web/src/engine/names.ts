// Names that the pages and the engine share.

/** The name of the browser's cache in which the engine's parts are. */
export const ENGINE_CACHE = "onthestack-engine-1";
