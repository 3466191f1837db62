// Tabs, one of which is selected: the arrow keys select the next one.

import { button, el } from "../dom.ts";

export interface Tab<Name extends string> {
  name: Name;
  label: string;
  /** The ID of what it shows. */
  controls: string;
}

export class Tabs<Name extends string> {
  readonly root = el("div", { class: "ots-tabs", role: "tablist", "aria-label": "Panes" });
  readonly #tabs = new Map<Name, HTMLButtonElement>();
  readonly #select: (name: Name) => void;

  /** select is called when the reader selects a tab, and calls the method of this name. */
  constructor(tabs: readonly Tab<Name>[], select: (name: Name) => void) {
    this.#select = select;
    for (const { name, label, controls } of tabs) {
      const tab = button("ots-tab", () => select(name), label);
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", controls);
      this.#tabs.set(name, tab);
      this.root.append(tab);
    }
    this.root.addEventListener("keydown", (e) => this.#key(e));
  }

  /** Shows only the tabs of these names. */
  offer(names: readonly Name[]): void {
    for (const [name, tab] of this.#tabs) tab.hidden = !names.includes(name);
  }

  select(name: Name): void {
    for (const [other, tab] of this.#tabs) {
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
    }
  }

  /** Moves the focus to the selected tab. */
  focus(): void {
    this.root.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
  }

  #key(e: KeyboardEvent): void {
    const offered = [...this.#tabs].filter(([, tab]) => !tab.hidden);
    const at = offered.findIndex(([, tab]) => tab === document.activeElement);
    const last = offered.length - 1;
    const places: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    const place = places[e.key];
    if (place === undefined || at < 0) return;
    e.preventDefault();
    const [name, tab] = offered[(place + offered.length) % offered.length]!;
    this.#select(name);
    tab.focus();
  }
}
