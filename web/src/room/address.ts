// The address that participants open. The instructor's own may be one that works on this machine alone.

import { isLocal } from "../unreachable.ts";
import type { Store } from "../store.ts";

const NAME = "room/address";

const readAddress = (json: unknown): string | null => (typeof json === "string" ? origin(json) : null);

/** Returns the origin of a URL that somebody typed, such as "192.168.1.20:8080"; null if it is none. */
export function origin(typed: string): string | null {
  const text = typed.trim();
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (text === "" || !URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  return host === "" ? null : `${protocol}//${host}`;
}

export class JoinAddress {
  readonly #store: Store;
  readonly #root: string;

  /** root is the URL of the site as the instructor opened it. */
  constructor(store: Store, root: string) {
    this.#store = store;
    this.#root = root;
  }

  /** Whether participants on other machines cannot open it. */
  get local(): boolean {
    return isLocal(this.site);
  }

  /** Whether the instructor's own address is one of this machine alone, so that another one is needed. */
  get needed(): boolean {
    return isLocal(this.#root);
  }

  /** Stores the origin that participants open. Reports whether it is one. */
  set(typed: string): boolean {
    const to = origin(typed);
    if (to === null) return false;
    this.#store.save(NAME, to);
    return true;
  }

  /** The URL of the site as participants open it. */
  get site(): string {
    const stored = isLocal(this.#root) ? this.#store.load(NAME, readAddress) : null;
    return stored === null ? this.#root : stored + new URL(this.#root).pathname;
  }

  /** The URL that opens the form with the code. */
  href(code: string): string {
    return `${this.site}join/#${code}`;
  }

  /** The address as it is read from a projector: "192.168.1.20:8080/join". */
  get words(): string {
    return `${this.site}join`.replace(/^https?:\/\//, "");
  }
}
