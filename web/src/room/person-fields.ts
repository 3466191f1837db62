// The fields of the joining form that may stay empty: an identifier, and a second person at the same machine.

import { el } from "../dom.ts";
import { MAX_IDENTIFIER, MAX_NAME } from "../go/room-limits.ts";

/** A person who joins. */
export interface Person {
  name: string;
  /** An e-mail address or a number by which the school's system knows them; "" if they give none. */
  identifier: string;
}

const OPTIONAL = "Only the instructor sees it. With it, a system such as Moodle can match your grades to you.";

export class PersonFields {
  readonly root: HTMLElement;
  readonly #identifier: HTMLInputElement;
  readonly #pair = el("input", { type: "checkbox" });
  readonly #name: HTMLInputElement;
  readonly #other: HTMLInputElement;

  /** id begins the IDs of the fields. */
  constructor(id: string) {
    const first = field(`${id}-identifier`, "Identifier or e-mail (optional)", OPTIONAL, {
      maxlength: MAX_IDENTIFIER,
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
    });
    const name = field(`${id}-partner`, "Name of the second person", "", {
      maxlength: MAX_NAME,
      autocomplete: "off",
      dir: "auto",
    });
    const other = field(`${id}-other`, "Identifier or e-mail of the second person (optional)", "", {
      maxlength: MAX_IDENTIFIER,
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
    });
    [this.#identifier, this.#name, this.#other] = [first.input, name.input, other.input];
    const second = el(
      "fieldset",
      { class: "room-second", hidden: true },
      el("legend", { class: "ots-unseen" }, "The second person"),
      name.root,
      other.root,
      el(
        "p",
        { class: "room-hint" },
        "What one of you does counts for both. Each of you gets a key, and can continue alone in another browser.",
      ),
    );
    this.#pair.addEventListener("change", () => {
      second.hidden = !this.#pair.checked;
      if (this.#pair.checked) this.#name.focus();
    });
    this.root = el(
      "div",
      { class: "room-more-fields" },
      first.root,
      el("p", {}, el("label", { class: "room-check" }, this.#pair, " We are two at this machine")),
      second,
    );
  }

  get identifier(): string {
    return this.#identifier.value;
  }

  /** The second person; null if there is none. */
  get partner(): Person | null {
    return this.#pair.checked ? { name: this.#name.value, identifier: this.#other.value } : null;
  }

  /** Returns what is missing, and moves the focus there; "" if nothing is. */
  missing(): string {
    if (this.partner?.name.trim() !== "") return "";
    this.#name.focus();
    return "Type the name of the second person.";
  }
}

function field(
  id: string,
  label: string,
  hint: string,
  attributes: Record<string, string | number>,
): { root: HTMLElement; input: HTMLInputElement } {
  const input = el("input", { id, ...(hint && { "aria-describedby": `${id}-hint` }), ...attributes });
  const root = el(
    "p",
    {},
    el("label", { for: id }, label),
    input,
    hint !== "" && el("span", { class: "room-hint", id: `${id}-hint` }, hint),
  );
  return { root, input };
}
