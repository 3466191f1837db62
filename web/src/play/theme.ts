// The editor page wears the theme that the reader chose in the book.

const CHOSEN = "mdbook-theme";
const THEMES = ["light", "rust", "coal", "navy", "ayu"];

/** Puts the theme on the page, and keeps it there when the reader or the system changes it. */
export function wearTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const wear = () => {
    const theme = chosen() ?? (dark.matches ? "navy" : "light");
    document.documentElement.classList.remove(...THEMES);
    document.documentElement.classList.add(theme);
  };
  wear();
  dark.addEventListener("change", wear);
  addEventListener("storage", (e) => {
    if (e.key === CHOSEN || e.key === null) wear();
  });
}

/** The theme that was chosen, or null where the system's is to be followed. */
function chosen(): string | null {
  try {
    const theme = localStorage.getItem(CHOSEN)?.replaceAll('"', "");
    return theme && THEMES.includes(theme) ? theme : null;
  } catch {
    return null;
  }
}
