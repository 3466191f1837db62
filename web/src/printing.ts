// Pages are printed in the light theme, because a browser leaves out dark backgrounds, and light text would be left on
// white paper.
// Folded elements are printed too, hints and answers among them.

const DARK = ["coal", "navy", "ayu"];

/** Prepares a page of the book for printing, and restores it afterwards. */
export function printLight(): void {
  const classes = document.documentElement.classList;
  let dark: string | undefined;
  let folded: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    dark = DARK.find((theme) => classes.contains(theme));
    if (dark !== undefined) classes.replace(dark, "light");
    folded = [...document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    if (dark !== undefined) classes.replace("light", dark);
    for (const details of folded) details.open = false;
  });
}
