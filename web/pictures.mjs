// Draws two pictures from the built site: the card that social networks show with a link, which is a screenshot of the
// front page, and the icon for a phone's home screen, from the favicon. The results are committed:
//   make site && cd web && node pictures.mjs
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const assets = here("../site/assets");

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
try {
  const card = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: "light" });
  await card.goto(pathToFileURL(here("../public/index.html")).href);
  await card.addStyleTag({ path: `${assets}/css/card.css` });
  await card.locator(".hero .ots-picture").waitFor();
  await card.screenshot({ path: `${assets}/card.png` });

  const svg = await readFile(here("../book/theme/favicon.svg"), "utf8");
  const icon = await browser.newPage({ viewport: { width: 180, height: 180 }, colorScheme: "light" });
  const style = "margin:0;background:#fff;display:grid;place-items:center;height:180px";
  await icon.setContent(`<body style="${style}">${svg.replace("<svg", '<svg width="132" height="132"')}`);
  await icon.screenshot({ path: `${assets}/icon-180.png` });
} finally {
  await browser.close();
}
