// Pages are printed in the light theme, because a browser leaves out dark backgrounds, and light text would be left on
// white paper.
// Folded elements are printed too, hints and answers among them.

const DARK = "navy";

/** Prepares a page for printing, and restores it afterwards. folds selects what is unfolded. */
export function printLight(folds = "main details:not([open])"): void {
  const classes = document.documentElement.classList;
  addEventListener("beforeprint", () => {
    const dark = classes.replace(DARK, "light");
    const folded = [...document.querySelectorAll<HTMLDetailsElement>(folds)];
    for (const details of folded) details.open = true;
    const restore = () => {
      if (dark) classes.replace("light", DARK);
      for (const details of folded) details.open = false;
    };
    addEventListener("afterprint", restore, { once: true });
  });
}
