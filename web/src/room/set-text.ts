/** Sets the text of an element only if it is another one: a selection stays, and a screen reader hears nothing again. */
export function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
