// What a reader did, kept in the browser: in its local storage, or for the visit.

const PREFIX = "onthestack/1/";

/** Makes a value of what was saved, or null when it is not ours: anybody can write to a browser's storage. */
export type Read<T> = (json: unknown) => T | null;

export class Store {
  readonly #storage: Storage | null;

  /** A store over null remembers nothing and says so. */
  constructor(storage: Storage | null) {
    this.#storage = storage;
  }

  /** What was saved by this name, or null when there is nothing readable. */
  load<T>(name: string, read: Read<T>): T | null {
    try {
      return parse(this.#storage?.getItem(PREFIX + name) ?? null, read);
    } catch {
      return null;
    }
  }

  /** Reports whether it was kept: storage may be blocked or full. */
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
      // Where nothing can be removed, nothing was kept.
    }
  }

  /** Calls back when another tab saved by this name, or removed it: then with null. */
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

/** What the browser remembers from visit to visit. */
export function browserStore(): Store {
  return over(() => localStorage);
}

/** What it remembers as long as the tab is open. */
export function visitStore(): Store {
  return over(() => sessionStorage);
}

/** Reading the property alone can throw where storage is blocked. */
function over(storage: () => Storage): Store {
  try {
    return new Store(storage());
  } catch {
    return new Store(null);
  }
}
