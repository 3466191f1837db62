// Elements are made here, and text only ever becomes a text node.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

/** An element with attributes (true: present, false or null: absent) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return node;
}

/** A push button, never a submit button. */
export function button(className: string, onClick: () => void, ...children: Child[]): HTMLButtonElement {
  const b = el("button", { type: "button", class: className }, ...children);
  b.addEventListener("click", onClick);
  return b;
}

/** The data that a block of the page carries, or null when it is missing or broken. */
export function blockData(block: Element): unknown {
  const script = block.querySelector<HTMLScriptElement>(':scope > script.ots-data[type="application/json"]');
  if (!script) return null;
  try {
    return JSON.parse(script.textContent ?? "");
  } catch {
    return null;
  }
}

/** Calls back, once, when a block is nearly in view. */
export function whenNear(block: HTMLElement, then: () => unknown): void {
  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      then();
    },
    { rootMargin: "600px 0px" },
  );
  near.observe(block);
}

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
