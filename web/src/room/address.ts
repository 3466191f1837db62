// The address that participants open. The server knows its own; the instructor chooses one, or types another.

import { el } from "../dom.ts";
import type { Sites } from "../go/room.ts";
import { isFields } from "../json.ts";
import type { Store } from "../store.ts";
import { isLocal } from "../unreachable.ts";

const NAME = "room/address";

/** A stored address is of another day's network after this time. */
const KEPT_MS = 12 * 3_600_000;

interface Stored {
  site: string;
  /** The URLs of the server among which the instructor chose; "" if the page chose the first. */
  among: string;
  /** When, in ms. */
  at: number;
}

function readStored(json: unknown): Stored | null {
  if (!isFields(json)) return null;
  const { site, among, at } = json;
  const valid = typeof site === "string" && URL.canParse(site) && typeof among === "string" && typeof at === "number";
  return valid ? { site, among, at } : null;
}

/** Returns the origin of a URL that somebody typed, such as "192.168.1.20:8080"; null if it is none. */
export function origin(typed: string): string | null {
  const text = typed.trim();
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`;
  if (text === "" || !URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  return host === "" ? null : `${protocol}//${host}`;
}

/** Returns a URL as it is read from a projector: "192.168.1.20:8080/join". */
export const shortened = (url: string): string => url.replace(/^https?:\/\//, "").replace(/\/$/, "");

/** Returns the parts of such an address, "192.168.1.20:8080/" and "join". */
export const addressParts = (words: string): string[] => words.match(/[^/]+\/?/g) ?? [];

/** Returns such an address for a line that breaks between its parts, and after a dot if it has no room for one of them. */
export const brokenAddress = (words: string): HTMLElement[] =>
  addressParts(words).map((part) =>
    el("span", { class: "address-part" }, ...part.split(/(?<=\.)/).flatMap((label) => [label, el("wbr", {})])),
  );

export class JoinAddress {
  readonly #store: Store;
  readonly #root: string;
  #sites: Sites | null = null;

  /** root is the URL of the site as the instructor opened it. */
  constructor(store: Store, root: string) {
    this.#store = store;
    this.#root = root;
  }

  /** Takes what the server says. Reports whether that changes the address or the choice. */
  offer(sites: Sites): boolean {
    const before = JSON.stringify([this.site, this.choices]);
    this.#sites = sites;
    const site = this.site;
    // The deck, which does not ask the server, shows the same address.
    if (site !== null && this.#stored()?.site !== site) this.#save(site, "");
    return before !== JSON.stringify([site, this.choices]);
  }

  /** The URLs of the site that participants may be able to open, the best first. */
  get choices(): string[] {
    const { others = [], public: given = false, local = false } = this.#sites ?? {};
    if (given || (this.#sites !== null && local)) return others;
    if (isLocal(this.#root) || others.includes(this.#root)) return others;
    // The instructor came through a proxy or by a name of the network's, which the server cannot know.
    if (isShared(this.#root)) return [this.#root, ...others];
    return others.length === 0 ? [] : [...others, this.#root];
  }

  /** Whether the server can be reached from its own machine alone. */
  get local(): boolean {
    return this.#sites?.local ?? isLocal(this.site ?? this.#root);
  }

  /**
   * Stores the address that participants open, a choice or what somebody typed. Returns why it cannot be theirs, or "".
   * The projector never shows an address that leads each phone to itself.
   */
  choose(typed: string): string {
    const to = origin(typed);
    if (to === null) return "Type a host with its port, such as 192.168.1.20:8080.";
    const known = this.choices.find((url) => origin(url) === to);
    if (known === undefined && leadsToItself(to) && this.#sites?.local !== true)
      return `${shortened(to)} leads each device to itself. Type this machine's address in the network of the class.`;
    this.#save(known ?? to + new URL(this.#root).pathname, JSON.stringify(this.#sites?.others ?? []));
    return "";
  }

  /** Whether the server has said which addresses it has. */
  get known(): boolean {
    return this.#sites !== null;
  }

  /**
   * The URL of the site as participants open it; null if this machine is in no network, or if the server has not yet
   * said which addresses it has.
   */
  get site(): string | null {
    const stored = this.#stored();
    if (this.#sites === null) return stored?.site ?? (isShared(this.#root) ? this.#root : null);
    // A choice counts in the networks in which it was made.
    if (stored && !this.#sites.public && stored.among === JSON.stringify(this.#sites.others)) return stored.site;
    return this.choices[0] ?? (this.#sites.local ? this.#root : null);
  }

  #stored(): Stored | null {
    const stored = this.#store.load(NAME, readStored);
    return stored && Date.now() - stored.at < KEPT_MS ? stored : null;
  }

  #save(site: string, among: string): void {
    this.#store.save(NAME, { site, among, at: Date.now() });
  }
}

/** Reports whether a URL means, on each machine, that machine itself. */
function leadsToItself(url: string): boolean {
  const { hostname } = new URL(url);
  return isLocal(url) || /^127\.|^0\.0\.0\.0$|^\[::\]$|\.localhost$/.test(hostname);
}

/**
 * Reports whether other machines may be able to open a URL: it has an address of a network, or a name that name servers
 * may know. A name without a dot may be known to this machine alone.
 */
function isShared(url: string): boolean {
  const { hostname } = new URL(url);
  return !isLocal(url) && (hostname.startsWith("[") || (hostname.includes(".") && !hostname.endsWith(".local")));
}
