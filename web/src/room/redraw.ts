// Changes elements so that what the reader does in them stays: the focus, and what is unfolded.

/** Replaces what is in an element. If a button in it has the focus, the new one with the same data-key gets it. */
export function redraw(root: HTMLElement, ...nodes: (Node | string)[]): void {
  const key = root.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
  root.replaceChildren(...nodes);
  if (key) root.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

interface Item {
  root: HTMLElement;
}

/** Brings items to a list of IDs: make makes those that are missing. Returns them in the order of the list. */
export function reconcile<T extends Item>(items: Map<string, T>, ids: readonly string[], make: (id: string) => T): T[] {
  const kept = new Set(ids);
  for (const [id, { root }] of items) {
    if (kept.has(id)) continue;
    root.remove();
    items.delete(id);
  }
  for (const id of ids) if (!items.has(id)) items.set(id, make(id));
  return ids.map((id) => items.get(id)!);
}

/** Puts items in order into a parent. Moving an element takes the focus from it, so it is given back. */
export function place(parent: HTMLElement, items: readonly Item[]): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  items.forEach(({ root }, i) => {
    if (parent.children[i] !== root) parent.insertBefore(root, parent.children[i] ?? null);
  });
  if (focused && document.activeElement !== focused && parent.contains(focused)) focused.focus({ preventScroll: true });
}
