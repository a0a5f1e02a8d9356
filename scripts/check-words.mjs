/**
 * Checks the wording of everything that people read: string literals and comments in the packages, scripts, tests and
 * bench, and Markdown files. words/words.json lists the refused words with better ones. A comment `words-ignore:
 * <reason>` on the same line or the line above exempts text that quotes something else.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root } from "./imports.mjs";
import { readTexts } from "./words/read-texts.mjs";

const rows = JSON.parse(readFileSync(new URL("words/words.json", import.meta.url), "utf8")).map((row) => ({
  ...row,
  pattern: new RegExp(row.pattern.replaceAll(" ", "\\s+"), row.flags ?? "gi"),
}));

const named = process.argv.slice(2);
const problems = (named.length > 0 ? named : listFiles()).flatMap(checkFile);
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

/** Returns the files to check, as paths from the root. Applied migrations are fixed by their checksums. */
function listFiles(folder = root) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^(?:node_modules|dist|out|migrations|\.git|\.next)$/.test(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFiles(path);
    return /\.(?:md|sql|tsx?|mjs)$/.test(entry.name) && !entry.name.endsWith(".d.ts")
      ? [relative(root, path).split(sep).join("/")]
      : [];
  });
}

/** Tests quote text written by users, so only the comments in tests are checked. */
function isTest(path) {
  return /^(?:tests|bench)\/|\.test\.tsx?$|-kit\//.test(path);
}

function checkFile(path) {
  const source = readFileSync(join(root, path), "utf8");
  const lines = source.split("\n");
  return readTexts(path, source).flatMap(({ kind, start, text }) =>
    rows
      .filter((row) => (row.in === "all" || row.in === kind) && (kind !== "string" || !isTest(path)))
      .flatMap((row) =>
        Array.from(text.matchAll(row.pattern), (match) => {
          const line = countLines(source.slice(0, start)) + countLines(text.slice(0, match.index));
          const isExempt = lines
            .slice(Math.max(0, line - 1), line + 1)
            .some((each) => each.includes("words-ignore:"));
          const found = match[0].trim().replace(/\s+/g, " ");
          return isExempt ? [] : [`${path}:${line + 1}: "${found}". Write instead: ${row.write}`];
        }).flat(),
      ),
  );
}

function countLines(text) {
  return text.split("\n").length - 1;
}
