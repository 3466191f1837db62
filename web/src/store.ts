// The reader's data in the browser's storage: local storage, or session storage for one visit.

const PREFIX = "onthestack/1/";

/** Validates stored JSON, which any script of the host may have written; null if it is something else. */
export type Read<T> = (json: unknown) => T | null;

export class Store {
  readonly #storage: Storage | null;

  /** A store of null saves nothing, and save returns false. */
  constructor(storage: Storage | null) {
    this.#storage = storage;
  }

  /** Returns the value that was saved under a name, or null if there is none or it is not valid. */
  load<T>(name: string, read: Read<T>): T | null {
    try {
      return parse(this.#storage?.getItem(PREFIX + name) ?? null, read);
    } catch {
      return null;
    }
  }

  /** Returns the names that begin with a prefix, in no order, without the prefix. */
  namesAfter(prefix: string): string[] {
    const names: string[] = [];
    try {
      for (let i = 0; i < (this.#storage?.length ?? 0); i++) {
        const key = this.#storage!.key(i);
        if (key?.startsWith(PREFIX + prefix)) names.push(key.slice(PREFIX.length + prefix.length));
      }
    } catch {
      // Storage is blocked, so nothing was saved.
    }
    return names;
  }

  /** Reports whether the value was saved. The browser's storage may be blocked or full. */
  save(name: string, value: unknown): boolean {
    if (!this.#storage) return false;
    try {
      this.#storage.setItem(PREFIX + name, JSON.stringify(value));
      return true;
    } catch {
      return false;
    }
  }

  remove(name: string): void {
    try {
      this.#storage?.removeItem(PREFIX + name);
    } catch {
      // Storage is blocked, so nothing was saved.
    }
  }

  /** Calls changed when another tab saves a value under a name, or with null when it removes the value. */
  onElsewhere<T>(name: string, read: Read<T>, changed: (value: T | null) => void): void {
    addEventListener("storage", (e) => {
      if (e.storageArea === this.#storage && e.key === PREFIX + name) changed(parse(e.newValue, read));
    });
  }
}

function parse<T>(json: string | null, read: Read<T>): T | null {
  if (json === null) return null;
  try {
    return read(JSON.parse(json));
  } catch {
    return null;
  }
}

/** Returns the store that lasts beyond a visit. */
export function browserStore(): Store {
  return over(() => localStorage);
}

/** Returns the store that lasts until the tab is closed. */
export function visitStore(): Store {
  return over(() => sessionStorage);
}

/** Makes a store. If storage is blocked, even reading the property throws. */
function over(storage: () => Storage): Store {
  try {
    return new Store(storage());
  } catch {
    return new Store(null);
  }
}
