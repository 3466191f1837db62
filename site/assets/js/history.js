// Narrows the table of the history down: by words, to some releases, to what changed on them. The address keeps it all.
(() => {
  const explorer = document.querySelector(".explorer");
  const form = explorer.querySelector("form");
  const { q, from, to, changed } = form.elements;
  const table = explorer.querySelector("table");
  const output = form.querySelector("output");
  const nothing = explorer.querySelector(".nothing");
  const newest = to.options.length - 1;

  // The rows of a listing come and go together.
  const listings = new Map();
  for (const row of table.querySelectorAll("tbody tr:not(.chapter)")) {
    const href = row.querySelector("a").getAttribute("href");
    const one = listings.get(href) ?? { rows: [], changes: new Set(), words: href, chapter: row.parentElement };
    one.rows.push(row);
    one.words += ` ${row.cells[0].textContent}`;
    for (let i = 1; i < row.cells.length; i++) if (row.cells[i].matches(".changed, .bytes")) one.changes.add(i - 1);
    listings.set(href, one);
  }
  for (const one of listings.values()) {
    one.words = `${one.words} ${one.chapter.rows[0].textContent}`.toLowerCase();
  }

  const chosen = () => [...table.tBodies].find((chapter) => `#${chapter.id}` === location.hash);

  const show = () => {
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const first = Math.min(from.selectedIndex, to.selectedIndex);
    const last = Math.max(from.selectedIndex, to.selectedIndex);
    // What changed from one release to another: on a release after the first.
    const within = (changes) => [...changes].some((i) => i > first && i <= last);
    const only = chosen();
    const filled = new Set();
    let count = 0;
    for (const one of listings.values()) {
      const fits = words.every((w) => one.words.includes(w)) && (!changed.checked || within(one.changes));
      for (const row of one.rows) row.hidden = !fits;
      if (!fits) continue;
      filled.add(one.chapter);
      if (!only || only === one.chapter) count++;
    }
    for (const chapter of table.tBodies) chapter.hidden = !filled.has(chapter);
    for (const row of table.rows) {
      if (row.classList.contains("chapter")) {
        row.cells[0].colSpan = last - first + 2;
        continue;
      }
      for (let i = 1; i < row.cells.length; i++) {
        row.cells[i].hidden = i - 1 < first || i - 1 > last;
        // Where numbers stand only at their beginning, the first column in sight is one.
        row.cells[i].classList.toggle("edge", i - 1 === first);
      }
    }
    output.textContent = `${count} of ${listings.size} listings`;
    nothing.hidden = count > 0;
    table.hidden = count === 0;
    for (const link of explorer.querySelectorAll(".filter a")) {
      const here = link.hash === (only ? `#${only.id}` : "#all");
      if (here) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  const keep = () => {
    const state = new URLSearchParams();
    if (q.value.trim()) state.set("q", q.value.trim());
    if (from.selectedIndex !== 0) state.set("from", from.value);
    if (to.selectedIndex !== newest) state.set("to", to.value);
    if (changed.checked) state.set("changed", "1");
    history.replaceState(null, "", `${location.pathname}${state.size ? `?${state}` : ""}${location.hash}`);
  };

  // A release that is not in the table leaves the choice as it is.
  const choose = (select, value) => {
    const i = [...select.options].findIndex((o) => o.value === value);
    if (i >= 0) select.selectedIndex = i;
  };

  const restore = () => {
    const state = new URLSearchParams(location.search);
    q.value = state.get("q") ?? "";
    choose(from, state.get("from"));
    choose(to, state.get("to"));
    changed.checked = state.has("changed");
    show();
  };

  form.addEventListener("input", () => {
    keep();
    show();
  });
  form.addEventListener("submit", (e) => e.preventDefault());
  form.addEventListener("reset", (e) => {
    e.preventDefault();
    q.value = "";
    from.selectedIndex = 0;
    to.selectedIndex = newest;
    changed.checked = false;
    if (chosen()) location.hash = "#all";
    keep();
    show();
  });
  nothing.querySelector("button").addEventListener("click", () => {
    form.reset();
    q.focus();
  });
  addEventListener("hashchange", show);
  form.hidden = false;
  restore();
})();
