// The tooltip of a gutter mark. It appears on hover, keyboard focus and tap, stays while the pointer is on it, and
// disappears on Escape.

/** The time in which the pointer can move from the mark to the tooltip. */
const LEAVE_MS = 150;
let ids = 0;

export class Tip {
  readonly #parent: HTMLElement;
  readonly #box: HTMLElement;
  #owner: HTMLElement | null = null;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** The parent must have a CSS position. The tooltip stays within its width. */
  constructor(parent: HTMLElement) {
    this.#parent = parent;
    this.#box = document.createElement("div");
    this.#box.id = `ots-tip-${++ids}`;
    this.#box.className = "ots-tip";
    this.#box.setAttribute("role", "tooltip");
    this.#box.hidden = true;
    this.#box.addEventListener("pointerenter", () => clearTimeout(this.#leaving));
    this.#box.addEventListener("pointerleave", () => this.#leave());
    parent.append(this.#box);
    parent.addEventListener("keydown", (e) => {
      if (e.key === "Escape") this.hide();
    });
    // Focus scrolls its mark into view, so the tooltip moves with it. A pointer does not move with the text.
    parent.addEventListener(
      "scroll",
      () => {
        if (this.#owner && this.#owner === document.activeElement) this.#position(this.#owner);
        else this.hide();
      },
      { capture: true },
    );
  }

  /** Shows the element that describe returns while the owner is hovered or focused. */
  attach(owner: HTMLElement, describe: () => HTMLElement): void {
    const show = () => this.#show(owner, describe);
    owner.addEventListener("pointerenter", (e) => {
      if (e.pointerType !== "touch") show();
    });
    owner.addEventListener("pointerleave", () => this.#leave());
    owner.addEventListener("focus", show);
    owner.addEventListener("blur", () => this.hide());
    owner.addEventListener("click", show);
  }

  hide(): void {
    clearTimeout(this.#leaving);
    this.#owner?.removeAttribute("aria-describedby");
    this.#owner = null;
    this.#box.hidden = true;
  }

  /** Hides the tooltip after the pointer has left, unless its owner has the focus. */
  #leave(): void {
    clearTimeout(this.#leaving);
    if (this.#owner === document.activeElement) return;
    this.#leaving = setTimeout(() => this.hide(), LEAVE_MS);
  }

  #show(owner: HTMLElement, describe: () => HTMLElement): void {
    clearTimeout(this.#leaving);
    if (this.#owner === owner) return;
    this.hide();
    this.#owner = owner;
    owner.setAttribute("aria-describedby", this.#box.id);
    this.#box.replaceChildren(describe());
    this.#box.hidden = false;
    this.#position(owner);
  }

  /** Moves the tooltip below its owner, or above it if there is not enough room. */
  #position(owner: HTMLElement): void {
    const frame = this.#parent.getBoundingClientRect();
    const at = owner.getBoundingClientRect();
    const below = at.bottom + this.#box.offsetHeight + 8 <= innerHeight || at.top - frame.top < this.#box.offsetHeight;
    this.#box.style.insetBlockStart = below
      ? `${at.bottom - frame.top + 4}px`
      : `${at.top - frame.top - this.#box.offsetHeight - 4}px`;
  }
}
