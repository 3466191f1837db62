// The plans in the form that opens a room: a plan's exercises, in its order.

import { el } from "../dom.ts";
import type { Exercises, KnownPlan } from "./data.ts";

/** Returns the chosen exercises with the plan's first, in its order. The others stay in the order of the book. */
export function inPlanOrder(chosen: readonly string[], plan: KnownPlan | null): string[] {
  const first = plan?.exercises.filter((id) => chosen.includes(id)) ?? [];
  return [...first, ...chosen.filter((id) => !first.includes(id))];
}

/** Offers the room of a plan, which one press then opens, and the other plans. */
export function plansLine(exercises: Exercises, plan: KnownPlan | null): HTMLElement | null {
  if (exercises.plans.length === 0) return null;
  const numbers = plan?.exercises.map((id) => exercises.get(id).number) ?? [];
  const links = exercises.plans
    .filter((other) => other !== plan)
    .map((other) => el("a", { href: `#open=${other.plan}` }, other.title));
  return el(
    "div",
    { class: plan ? "room-of-plan is-chosen" : "room-of-plan" },
    plan &&
      el(
        "p",
        {},
        "The room for the plan ",
        el("a", { href: plan.href }, plan.title),
        ` has the ${numbers.length === 1 ? "exercise" : "exercises"} ${listed(numbers)}, in the order of the plan.`,
      ),
    plan && el("p", {}, el("button", { class: "ots-button is-main", type: "submit" }, "Open this room")),
    el(
      "p",
      { class: "room-hint" },
      plan ? "Choose another plan: " : "Choose the exercises of a plan: ",
      ...spaced(links),
    ),
  );
}

/** "6, 7 and 9" */
function listed(numbers: readonly number[]): string {
  const last = numbers.length - 1;
  return last < 1 ? numbers.join("") : `${numbers.slice(0, last).join(", ")} and ${numbers[last]}`;
}

const spaced = (nodes: readonly Node[]): (Node | string)[] =>
  nodes.flatMap((node, i) => (i === 0 ? [node] : [", ", node]));
