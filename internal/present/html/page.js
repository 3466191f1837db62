// The page reads without this. It opens what a link leads into, where the browser does not, and says in words what
// frame is looked at.
const reveal = () => {
	const target = document.getElementById(location.hash.slice(1));
	for (let e = target; e; e = e.parentElement) {
		if (e.localName === "details") e.open = true;
	}
	if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
if (location.hash) reveal();

const readout = document.querySelector(".readout");
const show = (event) => {
	const frame = event.target.closest("svg a, svg g");
	if (frame) readout.textContent = frame.querySelector("title").textContent;
};
for (const flame of document.querySelectorAll(".flame")) {
	flame.addEventListener("pointerover", show);
	flame.addEventListener("focusin", show);
}
