// Tells this tab what the workspace has changed in the browser's storage.

import { PREFIX } from "../store.ts";

/** Tells the widgets of this tab of a value in local storage, as the browser tells other tabs' widgets. */
export function announce(name: string): void {
  const key = PREFIX + name;
  const newValue = localStorage.getItem(key);
  dispatchEvent(new StorageEvent("storage", { key, newValue, storageArea: localStorage }));
}
