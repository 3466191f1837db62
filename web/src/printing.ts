// Pages are printed in the light theme, because a browser leaves out dark backgrounds, and light text would be left on
// white paper.
// Folded elements are printed too, hints and answers among them.

const DARK = "navy";

/** Prepares a page of the book for printing, and restores it afterwards. */
export function printLight(): void {
  const classes = document.documentElement.classList;
  let dark = false;
  let folded: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    dark = classes.replace(DARK, "light");
    folded = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    if (dark) classes.replace("light", DARK);
    for (const details of folded) details.open = false;
  });
}
