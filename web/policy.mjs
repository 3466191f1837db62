// Puts a Content-Security-Policy into the pages of a folder, so that they have it on any host. Only frame-ancestors is
// left to a server, because a meta element cannot contain it.
//   node web/policy.mjs FOLDER
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sandboxFrameScript } from "./build.mjs";

const folder = process.argv[2];
if (!folder || process.argv.length > 3) {
  console.error("usage: node web/policy.mjs FOLDER");
  process.exit(2);
}

const CHARSET = /<meta charset="?utf-8"?\s*\/?>/i;
const SCRIPT = /<script\b([^>]*)>([^]*?)<\/script\s*>/gi;
const TAG = /<[a-z][^\s>]*\s[^>]*>/gi;
const VALUE = /"[^"]*"|'[^']*'/g;

const frame = (await sandboxFrameScript()).hash;

/**
 * Returns a policy that allows nothing from other origins. hashes has a hash of each inline script of the page and of
 * the sandbox frame's script, because a srcdoc frame inherits the policy of its page.
 */
const policy = (hashes) =>
  [
    "default-src 'self'",
    `script-src ${["'self'", "'wasm-unsafe-eval'", ...hashes.map((hash) => `'${hash}'`)].join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ].join("; ");

function inlineScripts(page) {
  const scripts = [...page.matchAll(SCRIPT)].filter(
    ([, attributes]) => !/\ssrc\s*=|\stype\s*=\s*"?application\/json/i.test(attributes),
  );
  return scripts.map(([, , text]) => `sha256-${createHash("sha256").update(text).digest("base64")}`);
}

/** A tag with a handler in an attribute, or with a script as an address: no hash lets them run. */
function stopped(page) {
  const tags = page.replaceAll(SCRIPT, "").match(TAG) ?? [];
  return tags.find((tag) => /\son[a-z]+\s*=/i.test(tag.replaceAll(VALUE, "")) || /=\s*["']?\s*javascript:/i.test(tag));
}

for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".html")) continue;
  const name = join(entry.parentPath ?? entry.path, entry.name);
  const page = await readFile(name, "utf8");
  const charset = CHARSET.exec(page);
  if (!charset) throw new Error(`${name} has no <meta charset="utf-8">, after which its policy would stand`);
  if (/http-equiv="?Content-Security-Policy/i.test(page)) throw new Error(`${name} has a policy already`);
  const tag = stopped(page);
  if (tag) throw new Error(`${name}: its policy would stop ${tag}`);
  const scripts = [...new Set([...inlineScripts(page), frame])];
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(scripts)}">`;
  const at = charset.index + charset[0].length;
  await writeFile(name, page.slice(0, at) + meta + page.slice(at));
}
