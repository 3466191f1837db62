// A class for the tests of rooms: the built site, the real runner with rooms, and a browser for each person.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from "playwright-core";
import { launchChromium } from "../browser/chromium.ts";
import { ExercisePage } from "../browser/exercise-page.ts";
import { startRunner, type Runner } from "./runner.ts";
import { root } from "./site.ts";
import { exercisesOf, type Exercise } from "./workbook.ts";

/** Only so that a test ends: machines are busy. */
export const LONG_MS = 120_000;

export interface Work {
  passed: boolean;
  attempts: number;
  last: string;
  best: string;
  state: string;
  late: boolean;
}

/** What the instructor's request for a room answers, as far as tests read it. */
export interface RoomState {
  shared?: { id: string }[];
  participants: { id: string; name: string; hand: string; work: Record<string, Work> }[];
}

interface Started {
  runner: Runner;
  /** The instructor's. */
  token: string;
  browser: Browser;
}

export class Classroom {
  /** What went wrong in the scripts of the pages. A test asserts that it is empty. */
  readonly errors: string[] = [];
  readonly token: string;
  /** The code of the room, once a test has opened it. */
  code = "";
  runner: Runner;
  readonly #state: string;
  readonly #args: readonly string[];
  readonly #browser: Browser;
  readonly #exercises: Exercise[];
  /** The host name in the pages' addresses; "" for the runner's own. */
  readonly #host: string;

  private constructor(state: string, at: Started, host: string, args: readonly string[], exercises: Exercise[]) {
    this.#state = state;
    this.#host = host;
    this.#args = args;
    this.#exercises = exercises;
    this.#browser = at.browser;
    this.runner = at.runner;
    this.token = at.token;
  }

  /** Starts the runner, with more arguments if they are given, and the browser. */
  static start(...args: string[]): Promise<Classroom> {
    return Classroom.#start("127.0.0.1:0", "", args);
  }

  /** Starts a runner that all people reach under a host name over plain http, as in a class, and the browser. */
  static async startAt(host: string, ...args: string[]): Promise<Classroom> {
    const port = await freePort();
    return Classroom.#start(`0.0.0.0:${port}`, host, ["-public-url", `http://${host}:${port}/`, ...args]);
  }

  static async #start(at: string, host: string, args: string[]): Promise<Classroom> {
    const state = await mkdtemp(join(tmpdir(), "onthestack-room-"));
    const runner = await startRoom(state, at, args);
    const token = (await readFile(join(state, "instructor.token"), "utf8")).trim();
    const browser = await launchChromium(...(host === "" ? [] : [`--host-resolver-rules=MAP ${host} 127.0.0.1`]));
    return new Classroom(state, { runner, token, browser }, host, args, await exercisesOf(root));
  }

  async stop(): Promise<void> {
    await this.#browser.close();
    await this.runner.stop();
    await rm(this.#state, { recursive: true, force: true });
  }

  /** Starts the runner again at its address, after it was killed. */
  async restart(): Promise<void> {
    const { host, port } = new URL(this.runner.url);
    this.runner = await startRoom(this.#state, this.#host === "" ? host : `0.0.0.0:${port}`, this.#args);
  }

  url(path: string): string {
    const url = new URL(`${this.runner.url}/${path}`);
    if (this.#host !== "") url.hostname = this.#host;
    return url.href;
  }

  /** Returns a browser for another person. */
  context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    return this.#browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  }

  /** Returns a page of a person's browser; without one, of a new person's. */
  async page(context?: BrowserContext): Promise<Page> {
    const page = await (context ?? (await this.context())).newPage();
    page.setDefaultTimeout(LONG_MS);
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("dialog", (dialog) => this.errors.push(`a script of a name ran: ${dialog.message()}`));
    page.on("console", (message) => {
      // A server that is away, and a refusal, are part of these tests.
      if (message.type() === "error" && !/Failed to load resource|ERR_/.test(message.text()))
        this.errors.push(message.text());
    });
    return page;
  }

  /** Opens a room on the instructor's page with the exercises of these titles. */
  async openRoom(instructor: Page, title: string, exercises: string[]): Promise<void> {
    await instructor.goto(this.url(`room/#token=${this.token}`));
    await instructor.getByLabel("Title").fill(title);
    for (const exercise of exercises) await instructor.getByLabel(exercise).check();
    await instructor.getByRole("button", { name: "Open the room" }).click();
    this.code = await instructor.locator(".room-big-code").innerText();
  }

  /** Joins the room by the form. */
  async join(page: Page, name: string): Promise<void> {
    await page.goto(this.url(`join/#${this.code}`));
    await page.getByLabel("Your name").fill(name);
    await page.getByRole("button", { name: "Join" }).click();
    await page.locator(".room-mine > li").nth(1).waitFor();
  }

  /** Joins the room without a page. Resolves to the participant's token. */
  async joinByRequest(name: string): Promise<string> {
    const answer = await this.request("/join", { method: "POST", body: JSON.stringify({ name }) }, "");
    return ((await answer.json()) as { token: string }).token;
  }

  /** Hands in without a page, and waits until it is graded. Resolves to the submission's ID. */
  async handInByRequest(token: string, exercise: string, text: string): Promise<string> {
    const [file] = Object.keys(this.#exercises.find((e) => e.id === exercise)!.solution);
    const body = JSON.stringify({ exercise, files: { [file!]: text } });
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const answer = await this.request("/submissions", { method: "POST", body, headers }, token);
    const { id } = (await answer.json()) as { id: string };
    for (const end = Date.now() + LONG_MS; ;) {
      const { state } = (await (await this.request(`/submissions/${id}`)).json()) as { state: string };
      if (state === "graded") return id;
      assert.ok(Date.now() < end, `the submission stays ${state}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  solution(id: string): string {
    return Object.values(this.#exercises.find((e) => e.id === id)!.solution)[0]!;
  }

  /** Opens the page of an exercise. */
  exercise(page: Page, id: string): Promise<ExercisePage> {
    return ExercisePage.open(page, this.url(`exercises/${id}/`), id);
  }

  /** Sends a request to the room as the instructor, or with another token. path begins with "/", or is "". */
  request(path: string, init: RequestInit = {}, token = this.token): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    return fetch(`${this.runner.url}/api/rooms/${this.code}${path}`, { ...init, headers });
  }

  /** Returns the room as the instructor sees it. */
  async shown(): Promise<RoomState> {
    return (await (await this.request("")).json()) as RoomState;
  }

  /** Waits until the room is as wanted. */
  async until(wanted: (room: RoomState) => boolean): Promise<RoomState> {
    for (const end = Date.now() + LONG_MS; ;) {
      const room = await this.shown();
      if (wanted(room)) return room;
      assert.ok(Date.now() < end, `the room stays ${JSON.stringify(room)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const startRoom = (state: string, at: string, args: readonly string[]): Promise<Runner> =>
  startRunner(join(root, ".cache/bin/runner"), join(root, "public"), {
    args: ["-room", "on", "-state", state, "-addr", at, ...args],
  });

/** Returns the line of an exercise's page that is about the room. */
export const roomLine = (page: Page): Locator => page.locator(".ots-room-line");

/** Returns the row of somebody in the instructor's grid. */
export const rowOf = (instructor: Page, name: string): Locator =>
  instructor.locator(".room-grid tbody tr", { has: instructor.getByText(name, { exact: true }) });

/** Asserts that a page has no fault that axe finds, and does not scroll sideways. */
export async function accessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] }),
  );
  const faults = found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}`));
  assert.deepEqual(faults, [], page.url());
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${page.url()} scrolls sideways by ${wide} px`);
}
