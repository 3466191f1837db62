// Makes elements. Text only becomes text nodes, so it is never parsed as HTML.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined>;

/** Makes an element with attributes and children. An attribute is present if true, and absent if false or null. */
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

/** Makes a push button, which does not submit forms. */
export function button(className: string, onClick: () => void, ...children: Child[]): HTMLButtonElement {
  const b = el("button", { type: "button", class: className }, ...children);
  b.addEventListener("click", onClick);
  return b;
}

/** Turns text with `code` in it into nodes. */
export function inlineCode(text: string): (Node | string)[] {
  return text.split(/(`[^`]+`)/).map((part) => (/^`[^`]+`$/.test(part) ? el("code", {}, part.slice(1, -1)) : part));
}

const adopted = new Set<string>();

/** Adds the style that a part of the script brings along, once, so that only pages which load the part have it. */
export function adoptStyle(css: string): void {
  if (adopted.has(css)) return;
  adopted.add(css);
  const style = new CSSStyleSheet();
  style.replaceSync(css);
  document.adoptedStyleSheets.push(style);
}

/** Returns the parsed JSON in a block of the page, or null if it is missing or malformed. */
export function blockData(block: Element): unknown {
  const script = block.querySelector<HTMLScriptElement>(':scope > script.ots-data[type="application/json"]');
  if (!script) return null;
  try {
    return JSON.parse(script.textContent ?? "");
  } catch {
    return null;
  }
}

/** Calls then once, when a block is nearly visible. */
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

/**
 * Calls f when the fragment of the address changes. A fragment that names a part of this page, as the link has that
 * skips to the text, is the browser's alone.
 */
export function onFragment(f: () => void): void {
  addEventListener("hashchange", () => {
    if (!document.getElementById(location.hash.slice(1))) f();
  });
}
