// The choice of the release of Go on which a program is stepped through, or of two releases that are shown beside each
// other. A server may have several; the page's own engine has one.

import { el } from "../dom.ts";
import { GoRelease } from "../go/runner.ts";
import { STEPS_COMPARED_SCHEMA } from "../go/step.ts";
import { read } from "../json.ts";
import type { CheckEvent } from "../responses.ts";
import type { Runner } from "../runner.ts";
import { siteRoot } from "../site-root.ts";

/** A release that the server has. */
interface Offered {
  /** "1.27", in requests and in the page's address. */
  id: string;
  /** "Go 1.27.4" */
  name: string;
}

export class Releases {
  readonly root: HTMLElement;
  /** The releases of the last step, as the address names them; "" for the runner's own. */
  stepped = "";
  readonly #runner: Runner;
  readonly #server: Pick<Runner, "step">;
  readonly #select = el("select", { "aria-label": "Release of Go to step on" });
  #offered: Offered[] = [];

  /** server steps through programs on the releases that runner does not have. */
  constructor(runner: Runner, server: Pick<Runner, "step">) {
    this.#runner = runner;
    this.#server = server;
    this.root = el("label", { class: "ots-where ots-release", hidden: true }, "on ", this.#select);
  }

  /** Asks the server for its releases, and offers them if there are several and the reader has not chosen the page. */
  async look(): Promise<void> {
    const before = this.#select.value;
    this.#offered = this.#runner.choice?.chosen() === "page" ? [] : await fetchReleases();
    const [first, ...others] = this.#offered;
    const pairs = first
      ? others.map((other) => ({ id: `${first.id},${other.id}`, name: `${first.name} and ${other.name}` }))
      : [];
    const options = first ? [{ ...first, id: "" }, ...others, ...pairs] : [];
    this.#select.replaceChildren(...options.map(({ id, name }) => el("option", { value: id }, name)));
    this.root.hidden = others.length === 0;
    this.choose(before);
  }

  /** Chooses releases, "1.27" or "1.26,1.27". Reports whether they are offered; if not, the runner's own is chosen. */
  choose(ids: string): boolean {
    this.#select.value = ids;
    const known = this.#select.selectedIndex >= 0;
    if (!known) this.#select.selectedIndex = 0;
    return known;
  }

  /** Steps through a program on the chosen releases. Of two there is no picture before the counts. */
  readonly step: Runner["step"] = async (body, options = {}) => {
    const ids = (this.stepped = this.#select.value);
    if (ids === "") return this.#runner.step(body, options);
    const sides = this.#offered.filter(({ id }) => ids.split(",").includes(id));
    const named = (...documents: unknown[]) => comparison(sides, documents);
    const onEvent = (event: CheckEvent) => {
      if (event.kind !== "picture") options.onEvent?.(event);
      else if (sides.length === 1) options.onEvent?.({ ...event, steps: named(event.steps) });
    };
    const outcomes = await Promise.all(sides.map(({ id }) => this.#server.step(body, { ...options, onEvent, go: id })));
    const documents: unknown[] = [];
    for (const outcome of outcomes) {
      if (outcome.kind !== "ok") return outcome;
      documents.push(outcome.value);
    }
    return { kind: "ok", value: named(...documents) };
  };
}

/** Returns documents of steps as the comparison that "checkalloc step --json" prints. */
function comparison(sides: readonly Offered[], documents: readonly unknown[]): unknown {
  return { schema: STEPS_COMPARED_SCHEMA, programs: sides.map(({ name }, i) => ({ name, steps: documents[i] })) };
}

/** Returns the server's releases, its own first; none if there is no server that can be asked. */
async function fetchReleases(): Promise<Offered[]> {
  let json: unknown = null;
  try {
    const reply = await fetch(`${siteRoot()}version`);
    if (reply.ok) json = await reply.json();
  } catch {
    // A static host has no such file, and there may be no network.
  }
  const { release = "", releases = [] } = read(GoRelease, json, "Version") ?? {};
  return releases.map((version, i) => ({
    id: (i === 0 ? release : version).replace(/^go(\d+\.\d+).*/, "$1"),
    name: version.replace(/^go/, "Go "),
  }));
}
