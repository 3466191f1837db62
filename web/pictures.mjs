// Draws pictures from the built site: the card that social networks show with a link, which is a screenshot of the front
// page; from the favicon, the icons for a phone's home screen and for the installed workbook; and, for the pages on operating a server, the
// instructor's page of a room in which nine people work. The last is the page of a heap profile of the book's service.
// The results are committed:
//   make card
import { execFile, spawn } from "node:child_process";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const assets = here("../site/assets");

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const state = await mkdtemp(join(tmpdir(), "onthestack-picture-"));
// The room's picture names an address that a class could have, not the address of the machine that drew it.
const args = ["-addr", "127.0.0.1:0", "-site", here("../public"), "-public-url", "http://192.168.1.20:8080/"];
const runner = spawn(here("../.cache/bin/runner"), [...args, "-room", "on", "-state", state]);
try {
  const url = await addressOf(runner);
  const card = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: "light" });
  await card.goto(url);
  await card.addStyleTag({ path: `${assets}/css/card.css` });
  await card.locator(".hero .ots-picture").waitFor();
  await card.screenshot({ path: `${assets}/card.png` });

  const svg = await readFile(here("../book/theme/favicon.svg"), "utf8");
  // A system may cut the icon of an installed workbook to a circle, so its drawing is smaller.
  for (const [size, drawn, path] of [
    [180, 132, `${assets}/icon-180.png`],
    [512, 320, here("../site/static/icon-512.png")],
  ]) {
    const icon = await browser.newPage({ viewport: { width: size, height: size }, colorScheme: "light" });
    const style = `margin:0;background:#fff;display:grid;place-items:center;height:${size}px`;
    await icon.setContent(`<body style="${style}">${svg.replace("<svg", `<svg width="${drawn}" height="${drawn}"`)}`);
    await icon.screenshot({ path });
  }

  await drawRoom(url);
  await drawProfile();
} finally {
  await browser.close();
  runner.removeAllListeners("exit");
  runner.kill();
  await rm(state, { recursive: true, force: true });
}

/** Draws the room of a runner, which grades what the participants hand in. */
async function drawRoom(url) {
  const token = (await readFile(join(state, "instructor.token"), "utf8")).trim();
  const send = async (method, path, key, body, headers = {}) => {
    const reply = await fetch(`${url}/api/rooms${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
    });
    if (!reply.ok) throw new Error(`${method} ${path}: status ${reply.status}: ${await reply.text()}`);
    return reply.status === 204 ? null : reply.json();
  };
  const exercises = ["exercise6", "exercise7", "exercise40", "exercise10", "exercise11", "exercise9"];
  const { room } = await send("POST", "", token, { title: "Thursday, group 2", exercises });
  let submitted = 0;
  const names = ["Ada", "Barbara", "Dennis", "Edsger", "Frances", "Grace", "Ken", "Niklaus", "Radia"];
  for (const [i, name] of names.entries()) {
    const { token: key } = await send("POST", `/${room}/join`, "", { name });
    const progress = (exercise, stage, allocs, target, hints = 0) =>
      send("POST", `/${room}/progress`, key, { exercise, stage, allocs, target, hints });
    const solved = 1 + ((i * 5) % 4);
    for (const exercise of exercises.slice(0, solved)) {
      const files = await solution(exercise);
      await send("POST", `/${room}/submissions`, key, { exercise, files }, { "Idempotency-Key": exercise });
      submitted++;
    }
    if (i % 3 === 0) await progress(exercises[solved], "tests", 0, 0, 1);
    else await progress(exercises[solved], "benchmark", 2 + (i % 2), 1, i % 3);
    if (name === "Grace") await send("POST", `/${room}/hand`, key, { exercise: exercises[solved], raised: true });
  }
  const page = await browser.newPage({ viewport: { width: 1100, height: 880 }, colorScheme: "light" });
  await page.goto(`${url}/room/#token=${token}`);
  await page.locator(".room-known a").first().click();
  const passed = ".room-grid [data-standing=passed]";
  await page.locator(passed).nth(submitted - 1).waitFor({ timeout: 120_000 });
  await page.screenshot({ path: here("../.cache/grid.png") });
}

/** Draws the page of a heap profile of the book's service, as a module of its own, whose files have short names. */
async function drawProfile() {
  const service = here("../book/service/listings/before");
  const module = await mkdtemp(join(tmpdir(), "onthestack-picture-"));
  const run = async (command, ...args) => (await promisify(execFile)(command, args, { cwd: module })).stdout;
  try {
    for (const name of await readdir(service)) {
      if (name.endsWith(".go") && !name.endsWith("_test.go")) await copyFile(join(service, name), join(module, name));
    }
    await writeFile(join(module, "go.mod"), "module example.com/depot\n\ngo 1.26\n");
    await run("go", "build", "-buildvcs=false", "-o", "depot", ".");
    const requests = /^\d+/.exec(await run("./depot"))[0];
    const flags = ["--profile", "mem.out", "--binary", "depot", "--per", `requests=${requests}`];
    await run(here("../.cache/bin/checkalloc"), "explain", ...flags, "--html", "page.html");
    const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, colorScheme: "light" });
    await page.goto(pathToFileURL(join(module, "page.html")).href);
    await page.screenshot({ path: here("../.cache/profile.png") });
  } finally {
    await rm(module, { recursive: true, force: true });
  }
}

/** Resolves to the address that the runner prints. */
function addressOf(runner) {
  return new Promise((resolve, reject) => {
    let said = "";
    const listen = (chunk) => {
      said += chunk;
      const url = /serving the workbook at (http:\/\/[^/\s]+)/.exec(said)?.[1];
      if (url) resolve(url);
    };
    runner.stdout.on("data", listen);
    runner.stderr.on("data", listen);
    runner.on("exit", (code) => reject(new Error(`the runner ended with exit code ${code}:\n${said}`)));
  });
}

async function solution(exercise) {
  const folder = here(`../solutions/${exercise}`);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".go"));
  return Object.fromEntries(await Promise.all(names.map(async (n) => [n, await readFile(join(folder, n), "utf8")])));
}
