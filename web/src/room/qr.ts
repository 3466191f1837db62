// A QR code as a drawing.

import encodeQR from "qr";

/** Modules of light ground around the code, which scanners need. */
const QUIET = 4;

const SVG = "http://www.w3.org/2000/svg";

/** Draws a text as a QR code: dark on light in every theme. */
export function qrCode(text: string, label: string): SVGSVGElement {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET });
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${rows.length} ${rows.length}`);
  svg.setAttribute("class", "qr");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const ground = document.createElementNS(SVG, "rect");
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", "#fff");
  const code = document.createElementNS(SVG, "path");
  code.setAttribute("fill", "#000");
  code.setAttribute(
    "d",
    rows.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join(""),
  );
  svg.append(ground, code);
  return svg;
}
