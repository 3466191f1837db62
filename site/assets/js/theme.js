// Applies the theme that the reader chose, here or in the book, and lets them choose one. Without this script the page
// follows the system's. So does a reader who goes back to the theme that the system has: there is no third button for it.
(() => {
  const KEY = "mdbook-theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const chosen = () => {
    try {
      const theme = localStorage.getItem(KEY)?.replaceAll('"', "");
      return theme === "light" || theme === "navy" ? theme : null; // earlier versions of the book had others
    } catch {
      return null;
    }
  };
  const isDark = () => (chosen() === null ? dark.matches : chosen() === "navy");
  const wear = () => {
    root.style.colorScheme = isDark() ? "dark" : "light";
    for (const b of document.querySelectorAll("button.theme")) {
      b.hidden = false;
      b.textContent = isDark() ? "Light" : "Dark";
      b.setAttribute("aria-label", `Wear the ${isDark() ? "light" : "dark"} theme`);
    }
  };
  const begin = () => {
    wear();
    for (const b of document.querySelectorAll("button.theme")) {
      b.addEventListener("click", () => {
        const theme = isDark() ? "light" : "navy";
        try {
          if (dark.matches === (theme === "navy")) localStorage.removeItem(KEY);
          else localStorage.setItem(KEY, theme);
        } catch {
          root.style.colorScheme = isDark() ? "light" : "dark";
          return;
        }
        wear();
      });
    }
  };
  wear();
  // It is loaded beside the page, and may come before or after it.
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
  else begin();
  dark.addEventListener("change", wear);
  addEventListener("storage", wear);
})();
