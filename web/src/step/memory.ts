// Draws the stack and the heap of one step.

import { el } from "../dom.ts";
import type { MemoryObject, StackFrame, ProgramStep, Steps, Variable } from "../go/step.ts";
import { drawValue, type Names } from "./value.ts";

const HEAP = "heap";
const NOT_KNOWN = "not known";

/** The label of something that may be on the stack or on the heap, as far as is known. */
const unknownPlace = ({ pending }: Steps) => `stack or heap: ${pending ? "being measured" : NOT_KNOWN}`;

/** Draws the stack and the heap of a step. open has the indexes of the functions whose details are open. */
export function drawMemory(steps: Steps, step: ProgramStep, open: Set<number>): HTMLElement {
  const names = namesOf(steps, step);
  const stack = el("section", { class: "ots-mem-stack", "aria-label": "Stack" }, title("Stack"));
  stack.append(...drawStack(steps, step, names, open));
  if (step.globals.length > 0) {
    const globals = el(
      "div",
      { class: "ots-frame is-static" },
      el("p", { class: "ots-frame-name" }, "package variables"),
    );
    globals.append(...step.globals.map((variable) => drawVariable(steps, variable, names)));
    stack.append(globals);
  }
  stack.append(...drawObjects(steps, step.elsewhere, step, names));
  const heap = el("section", { class: "ots-mem-heap", "aria-label": "Heap" }, title("Heap"));
  heap.append(...drawObjects(steps, step.heap, step, names));
  if (step.heap.length === 0) heap.append(el("p", { class: "ots-mem-faint" }, "empty"));
  if (step.cut) heap.append(el("p", { class: "ots-mem-faint" }, "There are more objects than are drawn."));
  return el("div", { class: "ots-memory" }, stack, heap);
}

function title(words: string): HTMLElement {
  return el("p", { class: "ots-mem-title" }, words);
}

function namesOf(steps: Steps, step: ProgramStep): Names {
  const names = new Map<number, string>();
  for (const frame of step.stack)
    for (const { id, name } of frame.slots)
      if (!names.has(id)) names.set(id, `${name} of ${functionName(steps, frame)}`);
  for (const { id, name } of step.globals) names.set(id, name);
  for (const { id } of [...step.elsewhere, ...step.heap]) names.set(id, `#${id}`);
  return names;
}

export function functionName(steps: Steps, frame: StackFrame): string {
  return steps.functions[frame.function]?.name ?? "";
}

/** Draws the frames. One that was inlined is inside its caller's. */
function drawStack(steps: Steps, step: ProgramStep, names: Names, open: Set<number>): HTMLElement[] {
  const boxes: HTMLElement[] = [];
  const several = step.stack.some((frame) => frame.goroutine !== 1);
  let goroutine = 0;
  let caller: HTMLElement | undefined;
  for (const frame of step.stack) {
    if (frame.goroutine !== goroutine) {
      goroutine = frame.goroutine;
      caller = undefined;
      const running = goroutine === step.goroutine ? ", running" : "";
      if (several) boxes.push(el("p", { class: "ots-goroutine" }, `goroutine ${goroutine}${running}`));
    }
    const inlined = frame.inlined === "yes" && caller !== undefined;
    const box = drawFrame(steps, frame, names, inlined, open);
    if (inlined) caller!.append(box);
    else boxes.push(box);
    caller = box;
  }
  caller?.classList.add("is-innermost");
  if (step.stack.length === 0) boxes.push(el("p", { class: "ots-mem-faint" }, "empty"));
  return boxes;
}

function drawFrame(
  steps: Steps, frame: StackFrame, names: Names, inlined: boolean, open: Set<number>,
): HTMLElement {
  const name = functionName(steps, frame);
  const box = el(
    "div",
    { class: inlined ? "ots-frame is-inlined" : "ots-frame", role: "group", "aria-label": `frame of ${name}` },
    el("p", { class: "ots-frame-name" }, el("code", {}, name), el("span", {}, `line ${frame.line}`)),
  );
  if (inlined) {
    box.append(el("p", { class: "ots-mem-note" }, "inlined: its variables are in its caller’s frame"));
  } else if (frame.inlined === NOT_KNOWN) {
    box.append(el("p", { class: "ots-mem-note" }, "inlined or not: not known"));
  }
  const { inlinable, reason } = steps.functions[frame.function] ?? {};
  if (!inlined && inlinable === "no" && reason && name !== "main") {
    const details = el(
      "details",
      { class: "ots-mem-note", open: open.has(frame.function) },
      el("summary", {}, "cannot be inlined"),
      reason,
    );
    details.addEventListener("toggle", () => {
      if (details.open) open.add(frame.function);
      else open.delete(frame.function);
    });
    box.append(details);
  }
  box.append(...frame.slots.map((variable) => drawVariable(steps, variable, names)));
  return box;
}

function drawVariable(steps: Steps, variable: Variable, names: Names): HTMLElement {
  const { name, role, type, place, id } = variable;
  const moved = place === HEAP;
  const prefix = role === "captured" || (role === "result" && name !== "result") ? `${role} ` : "";
  return el(
    "div",
    { class: "ots-slot", "data-id": moved ? null : id },
    el("span", { class: "ots-slot-name" }, el("code", {}, name), " ", el("small", {}, prefix, type)),
    el(
      "span",
      { class: "ots-mem-value" },
      moved ? el("span", { class: "ots-pointer", "data-to": id }, `→ #${id}`) : drawValue(variable.value, names),
      place === NOT_KNOWN && el("small", {}, ` ${unknownPlace(steps)}`),
    ),
  );
}

/** Draws objects. A reason that several have is told once. */
function drawObjects(steps: Steps, objects: MemoryObject[], step: ProgramStep, names: Names): HTMLElement[] {
  const shown = new Map<string, number>();
  return objects.map((object) => {
    const { id, reason, garbage } = object;
    const first = shown.get(reason);
    if (first === undefined && !garbage) shown.set(reason, id);
    const text = reason !== "" && first !== undefined ? `for the same reason as #${first}` : reason;
    return drawObject(steps, { ...object, reason: text }, step, names);
  });
}

function drawObject(steps: Steps, object: MemoryObject, step: ProgramStep, names: Names): HTMLElement {
  const { id, name, type, bytes, count, line, garbage, place, reason, value, unseen, undated } = object;
  const facts = [sizeWords(object, step), line > 0 && `line ${line}`].filter((fact) => fact !== "" && fact !== false);
  if (garbage) facts.push("garbage");
  if (place === "stack") facts.push("on the stack");
  if (place === NOT_KNOWN) facts.push(unknownPlace(steps));
  const notes = [
    unseen && "counted, but no variable leads to it",
    undated && "it is not known which execution of its line made it",
  ].filter((note) => note !== false);
  return el(
    "div",
    {
      class: `ots-object${place === HEAP ? "" : " is-elsewhere"}${garbage ? " is-garbage" : ""}`,
      "data-id": id,
      role: "group",
      "aria-label": `object ${id}${inBytes(bytes)}${garbage ? ", garbage" : ""}`,
    },
    el(
      "p",
      { class: "ots-object-name" },
      el("b", {}, `#${id}`),
      count > 1 && el("span", {}, `${count} objects`),
      name && el("code", {}, name),
      type && el("small", {}, type),
    ),
    el("p", { class: "ots-mem-note" }, facts.join(" · ")),
    value.kind !== "unknown" && el("div", { class: "ots-mem-value" }, drawValue(value, names)),
    reason !== "" && el("p", { class: "ots-mem-reason" }, reason),
    notes.length > 0 && el("p", { class: "ots-mem-note" }, notes.join("; ")),
  );
}

/** Returns a size as the end of a clause, and nothing for a size of 0, which is one that the document does not tell. */
export const inBytes = (bytes: number): string => (bytes > 0 ? `, ${bytes} B` : "");

/** Returns the size of an object, and of the variable in it if the allocator's size class is larger. */
function sizeWords({ id, bytes, count, place }: MemoryObject, step: ProgramStep): string {
  if (bytes === 0) return "";
  if (count > 1) return `${bytes} B together`;
  if (place !== HEAP) return `${bytes} B`;
  const variable = step.stack.flatMap((frame) => frame.slots).find((slot) => slot.id === id);
  const size = variable && variable.bytes > 0 && variable.bytes < bytes ? `${variable.bytes} B in ` : "";
  return `${size}size class ${bytes} B`;
}
