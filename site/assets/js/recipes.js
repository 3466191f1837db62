// Narrows the recipes down to what the reader writes, and shows the figures of a release. The address keeps both.
(() => {
  const main = document.querySelector("main");
  const form = main.querySelector("form");
  const { q, go } = form.elements;
  const output = form.querySelector("output");
  const nothing = main.querySelector(".nothing");
  const newest = go.value;

  const recipes = [...main.querySelectorAll(".recipe")].map((row) => ({
    row,
    text: `${row.querySelector("a").textContent} ${row.querySelector(".about").textContent}`.toLowerCase(),
    terms: [...row.querySelectorAll(".terms code")].map((term) => term.textContent.toLowerCase()),
    figures: new Map(
      row.dataset.figures.split(";").map((figure) => {
        const [release, ...figures] = figure.split(",");
        return [release, figures];
      }),
    ),
  }));

  // A recipe fits a search for all of its words, or a line of code that has one of its terms in it.
  const fits = ({ text, terms }, query) => {
    const all = [text, ...terms].join(" ");
    return query.split(/\s+/).every((word) => all.includes(word)) || terms.some((term) => query.includes(term));
  };

  const show = () => {
    const query = q.value.trim().toLowerCase();
    let count = 0;
    for (const recipe of recipes) {
      const found = fits(recipe, query);
      recipe.row.hidden = !found;
      if (found) count++;
      const [before, after] = recipe.figures.get(go.value) ?? ["", ""];
      recipe.row.querySelector(".from").textContent = before || "–";
      recipe.row.querySelector(".to").textContent = after || "–";
      recipe.row.querySelector(".release").textContent = go.value;
    }
    output.textContent = `${count} of ${recipes.length} recipes`;
    nothing.hidden = count > 0;
  };

  const keep = () => {
    const state = new URLSearchParams();
    if (q.value.trim()) state.set("q", q.value.trim());
    if (go.value !== newest) state.set("go", go.value);
    history.replaceState(null, "", `${location.pathname}${state.size ? `?${state}` : ""}${location.hash}`);
  };

  form.addEventListener("input", () => {
    keep();
    show();
  });
  form.addEventListener("submit", (e) => e.preventDefault());
  nothing.querySelector("button").addEventListener("click", () => {
    q.value = "";
    keep();
    show();
    q.focus();
  });

  const state = new URLSearchParams(location.search);
  q.value = state.get("q") ?? "";
  const release = state.get("go");
  if ([...go.options].some((option) => option.value === release)) go.value = release;
  form.hidden = false;
  show();
})();
