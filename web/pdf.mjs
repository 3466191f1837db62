// Prints the book as a PDF file, with bookmarks and page numbers.
//   CHROMIUM=/usr/bin/chromium node web/pdf.mjs FOLDER-OF-THE-BOOK FILE.pdf
import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const [folder, target] = process.argv.slice(2);
const executablePath = process.env["CHROMIUM"];
if (!folder || !target || !executablePath) {
  console.error("usage: CHROMIUM=/path/to/chromium node web/pdf.mjs FOLDER-OF-THE-BOOK FILE.pdf");
  process.exit(2);
}

/** A host that does not exist. The files of the book are the responses to its requests. */
const ORIGIN = "http://book.invalid";

async function respond(route) {
  const path = normalize(decodeURIComponent(new URL(route.request().url()).pathname));
  // Paper shows the static text that widgets would replace.
  if (/\/widgets\/[^/]*\.js$/.test(path)) return route.fulfill({ body: "", contentType: "text/javascript" });
  try {
    await route.fulfill({ path: join(folder, path) });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    await route.fulfill({ status: 404 });
  }
}

/** Runs in the page. Opens all details, and removes the page breaks before sections, so that only chapters have one. */
async function prepareForPrint() {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const pre of document.querySelectorAll("pre")) pre.classList.toggle("is-long", pre.scrollHeight > 500);
  const words = (e) => e.textContent.trim();
  const chapters = new Set();
  for (const link of document.querySelectorAll("#mdbook-sidebar .chapter > li a[href]")) {
    link.querySelector("strong")?.remove();
    if (!link.closest(".section")) chapters.add(words(link));
  }
  if (chapters.size === 0) throw new Error("the book's table of contents names no chapter");
  for (const mark of document.querySelectorAll("main div[style*='page-break-before']")) {
    const title = mark.nextElementSibling;
    if (title?.matches("h1") && !chapters.has(words(title))) mark.remove();
  }
  await document.fonts.ready;
}

const style = "font: 8px system-ui, sans-serif; color: #555; width: 100%; padding: 0 16mm; text-align: center";
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] });
try {
  const page = await (await browser.newContext({ colorScheme: "light", reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(120_000);
  // mdBook's page for printing opens the browser's print dialog.
  await page.addInitScript(() => {
    window.print = () => {};
  });
  await page.route((url) => url.origin === ORIGIN, respond);
  await page.goto(`${ORIGIN}/print.html`, { waitUntil: "load" });
  await page.locator("code.hljs").first().waitFor({ state: "attached" });
  await page.addStyleTag({ path: fileURLToPath(new URL("pdf.css", import.meta.url)) });
  await page.evaluate(prepareForPrint);
  const pdf = await page.pdf({
    format: "A4",
    scale: 0.8,
    margin: { top: "18mm", bottom: "20mm", left: "16mm", right: "16mm" },
    printBackground: true,
    outline: true,
    tagged: true,
    displayHeaderFooter: true,
    headerTemplate: "<span></span>",
    footerTemplate: `<div style="${style}"><span class="pageNumber"></span></div>`,
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(`${target}.part`, pdf);
  await rename(`${target}.part`, target);
} finally {
  await browser.close();
}
