// The script of the progress page: it gets the page again each second, and shows what has changed.
"use strict";
const find = (name) => document.getElementById(name);
const replace = (now, next) => {
  if (now.innerHTML !== next.innerHTML) now.innerHTML = next.innerHTML;
  now.className = next.className;
};
const state = document.currentScript.dataset.state;
let unanswered = 0;
const ask = async () => {
  try {
    const answer = await fetch(state, { cache: "no-store" });
    if (answer.status === 404) return location.reload();
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    document.title = next.title;
    for (const name of ["title", "says", "there"]) replace(find(name), next.getElementById(name));
    const steps = next.getElementById("steps");
    if (find("steps").children.length !== steps.children.length) replace(find("steps"), steps);
    [...find("steps").children].forEach((item, i) => replace(item, steps.children[i]));
    unanswered = 0;
  } catch {
    // The runner takes over from the program that compiled it within a second or two.
    if (++unanswered > 3)
      find("says").textContent =
        "The runner does not answer. Start it again with the same command: this page then continues.";
  }
  setTimeout(ask, 1000);
};
setTimeout(ask, 1000);
