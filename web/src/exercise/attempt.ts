// An attempt as a link. The fragment of the link holds the code itself, compressed, so that it works without a server
// and no server sees it.

import { button, el } from "../dom.ts";
import { hashFiles, sameFiles, type Files } from "../files.ts";
import type { ExerciseData } from "../go/exercise.ts";
import { isFields } from "../json.ts";
import { ShareLink } from "../program/share-link.ts";
import { siteRoot } from "../site-root.ts";
import type { Store } from "../store.ts";
import { Aside, type Beginning } from "./aside.ts";
import { readSaved, type Saved } from "./saved.ts";

const FRAGMENT = "#attempt=";

/** The largest fragment in characters. Chat programs and mail cut longer links. An exercise takes about 2,000. */
const LONGEST = 30_000;
/** The most bytes that a link may unpack to: a few bytes of it could otherwise fill the memory. */
const MAX_BYTES = 200_000;

/** A mistake in a link. Its message is for the reader. */
class WrongLink extends Error {}

/** Resolves to the link that opens the files in place of an exercise's code. */
export async function attemptLink(exercise: string, files: Files): Promise<string> {
  const packed = await bytesOf(pipe(JSON.stringify(files), new CompressionStream("deflate-raw")), Infinity);
  const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
  if (text.length > LONGEST) {
    throw new Error("The code is too long for a link. Use Download my work to save it in a file.");
  }
  return `${siteRoot()}exercises/${exercise}/${FRAGMENT}${text}`;
}

/** Resolves to the files in the fragment of a link, or rejects with a WrongLink. */
export async function readAttempt(fragment: string, data: ExerciseData): Promise<Files> {
  const broken = new WrongLink("The link is incomplete or was changed. Ask for it again, and copy all of it.");
  const packed = fragment.slice(FRAGMENT.length);
  if (packed.length > LONGEST) throw broken;
  let files: unknown;
  try {
    const raw = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(raw, (char) => char.charCodeAt(0));
    const text = await bytesOf(pipe(bytes, new DecompressionStream("deflate-raw")), MAX_BYTES);
    files = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch {
    throw broken;
  }
  if (!isFields(files)) throw broken;
  const entries = Object.entries(files);
  if (!entries.every((entry): entry is [string, string] => typeof entry[1] === "string")) throw broken;
  const other = entries.find(([name]) => !Object.hasOwn(data.files, name));
  if (other || entries.length === 0) throw new WrongLink("The link has code of another exercise.");
  return Object.fromEntries(entries);
}

function pipe(from: string | Uint8Array<ArrayBuffer>, through: CompressionStream | DecompressionStream) {
  return new Blob([from]).stream().pipeThrough(through);
}

/** Reads a stream, and rejects as soon as it is longer than most. */
async function bytesOf(stream: ReadableStream<Uint8Array>, max: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > max) {
      await reader.cancel();
      throw new RangeError(`more than ${max} bytes`);
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Makes the link to an attempt, shown in a field to copy it from. say announces words to screen readers. */
export async function shareAttempt(exercise: string, files: Files, say: (words: string) => void): Promise<ShareLink> {
  const href = await attemptLink(exercise, files);
  const link = new ShareLink(say);
  link.show({ id: "", href }, JSON.stringify(files), false);
  return link;
}

/** Prepares the attempt in the page's address. Never rejects: if it cannot be read, the exercise begins as usual. */
export async function beginAttempt(data: ExerciseData, store: Store): Promise<Beginning> {
  try {
    const files = await readAttempt(location.hash, data);
    return { store: new Aside(store, data, files), notice: attemptNotice(data, files, store) };
  } catch (e) {
    const why = e instanceof WrongLink ? e.message : "Reload the page to try again.";
    return { store, notice: wrongNotice(why) };
  }
}

/** This page without the attempt. Without a fragment, the browser loads it again. */
const here = () => location.pathname + location.search;

function attemptNotice(data: ExerciseData, files: Files, store: Store): HTMLElement {
  const mine = store.load(data.exercise, readSaved);
  const keep = button("ots-button", () => {
    const saved: Saved = { hints: 0, passed: false, ...mine, starter: hashFiles(data.files), files };
    if (mine?.files && !sameFiles(mine.files, files)) saved.asides = [mine.files, ...(mine.asides ?? [])];
    if (store.save(data.exercise, saved)) location.replace(here());
    else keep.replaceWith("This browser's storage is blocked or full: the code cannot be kept.");
  }, "Continue with it as my own");
  return el(
    "div",
    { class: "ots-notice is-begun", role: "note" },
    el("p", { class: "ots-headline" }, "An attempt that somebody shared"),
    el(
      "p",
      {},
      mine?.files
        ? "It takes the place of your own code, which is kept as you left it. "
        : "It takes the place of the starter. ",
      "Press Check to see its verdict. ",
      "Your changes here are lost when you leave the page, and passing here does not count. ",
    ),
    el("p", {}, keep, " ", el("a", { href: here() }, mine?.files ? "Back to your own code" : "Back to the exercise")),
  );
}

function wrongNotice(why: string): HTMLElement {
  return el(
    "div",
    { class: "ots-notice is-begun is-problem", role: "note" },
    el("p", { class: "ots-headline" }, "The shared attempt cannot be shown"),
    el("p", {}, `The editor has your own code. ${why}`),
  );
}
