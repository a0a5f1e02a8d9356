/**
 * `node scripts/dashboard-size.mjs` prints the gzipped size of the scripts that the exported pages load. The first are the
 * scripts in each page's HTML, which must load before the page works. The others are parts that load on demand. Exits with 1 if a
 * size exceeds its limit.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { root } from "./steps.mjs";

export const pagesFolder = join(root, "apps/dashboard/out");

/** Maximum size of the scripts that each page needs before it works. */
const firstLoadBytesMax = { "index.html": 170_000, "sessions/_.html": 220_000 };
/**
 * Maximum size of parts that load later, with patterns that identify their scripts regardless of file names. A page loads only
 * one at a time of the scripts matched by `oneOf`.
 */
const parts = {
  markdown: { bytesMax: 90_000, all: /characterReferenceMarker|gfmAutolinkLiteral|attentionSequence/ },
  "code colouring": { bytesMax: 60_000, all: /_cachedMatchRoot/, oneOf: /scopeName\\?":\\?"source/ },
};

/** Returns all measured sizes, as `{ what, bytes, bytesMax }`. */
export function measurePages(folder = pagesFolder) {
  const first = new Set();
  const pages = Object.entries(firstLoadBytesMax).map(([page, bytesMax]) => {
    const scripts = firstScripts(readFileSync(join(folder, page), "utf8"));
    for (const script of scripts) first.add(script);
    return { what: page, bytes: sum(scripts.map((script) => gzipBytes(folder, script))), bytesMax };
  });
  const later = readdirSync(join(folder, "_next/static/chunks"))
    .filter((file) => file.endsWith(".js"))
    .map((file) => `/_next/static/chunks/${file}`)
    .filter((script) => !first.has(script));
  const measured = Object.entries(parts).map(([what, { bytesMax, all, oneOf }]) => {
    const bytes = sum(bytesOf(all)) + (oneOf ? Math.max(0, ...bytesOf(oneOf)) : 0);
    return { what, bytes, bytesMax };
  });
  function bytesOf(mark) {
    const scripts = later.filter((script) => mark.test(readScript(folder, script).toString()));
    return scripts.map((script) => gzipBytes(folder, script));
  }
  return [...pages, ...measured];
}

/** Returns the scripts in a page's HTML, without scripts for browsers that lack module support. */
function firstScripts(html) {
  const tags = [...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
  const modern = tags.filter((tag) => !/\bnomodule\b/i.test(tag));
  return [...new Set(modern.flatMap((tag) => /\bsrc="([^"?]+)/.exec(tag)?.[1] ?? []))];
}

function gzipBytes(folder, script) {
  return gzipSync(readScript(folder, script)).length;
}

function readScript(folder, script) {
  return readFileSync(join(folder, decodeURI(script)));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  for (const { what, bytes, bytesMax } of measurePages()) {
    const isTooLarge = bytes > bytesMax;
    process.stdout.write(`${what}: ${bytes} of ${bytesMax}${isTooLarge ? ", too large" : ""}\n`);
    if (isTooLarge) process.exitCode = 1;
  }
}
