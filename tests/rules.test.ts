import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, "utf8");

/** Folders with installed or built files. Folders whose names begin with a dot are skipped separately. */
const made = /(^|\/)(node_modules|dist|out|bundle)$|^site$/;

/**
 * Returns the path of every file in the checkout, relative to its root. Does not use Git, because the checkout may be
 * an unpacked tarball.
 */
function listFiles(folder = ""): string[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isFile()) return path;
    const isOurs = entry.isDirectory() && !entry.name.startsWith(".") && !made.test(path);
    return isOurs ? listFiles(path) : [];
  });
}

const files = listFiles();
const filesIn = (...patterns: RegExp[]) =>
  files.filter((path) => patterns.some((pattern) => pattern.test(path)));

const documents = ["SPEC.md", ...filesIn(/^docs\/.*\.md$/)];

/**
 * Rule families that are mostly about wording and appearance. Their documents list only the rules that other rules
 * refer to. The other rules in these families are stated only in test titles.
 */
const livesAsTitles = ["DASH", "CLI"];

const id = /[A-Z]{2,}-\d+/g;

/** Returns the ids of the rules in a document. Each rule begins a paragraph with its id in bold. */
function rulesOf(document: string): string[] {
  return [...read(document).matchAll(/^\*\*([A-Z]{2,}-\d+)\*\* /gm)].map(([, rule = ""]) => rule);
}

/** Returns the rule ids that occur in brackets in a string, such as a test title or the source of a test. */
function quotedIn(text: string): string[] {
  return [...text.matchAll(/\[([A-Z]{2,}-\d+)\]/g)].map(([, quoted = ""]) => quoted);
}

/** Matches the titles of tests that `npm test` skips. */
const longTitle = /(["`])((?:(?!\1).)*)\1,\s*\{\s*tags: \[?"long"/g;

/** Returns the rule ids quoted by tests that `npm test` runs (`short`), and by tests that `npm test` skips (`long`). */
function byLength(path: string): { short: string[]; long: string[] } {
  const text = read(path);
  const long = [...text.matchAll(longTitle)].flatMap(([, , title = ""]) => quotedIn(title));
  return { short: quotedIn(text.replace(longTitle, "")), long };
}

const rules = documents.flatMap(rulesOf);
const titles = filesIn(/\.test\.ts$/, /^tests\/.*\.ts$/).flatMap((path) => quotedIn(read(path)));

/** Returns the items of `these` that are in none of `those`, sorted and without duplicates. */
function missing(these: readonly string[], ...those: readonly (readonly string[])[]): string[] {
  const known = new Set(those.flat());
  return [...new Set(these)].filter((each) => !known.has(each)).sort();
}

const familyOf = (rule: string) => rule.replace(/-\d+$/, "");
const isTitleFamily = (rule: string) => livesAsTitles.includes(familyOf(rule));

describe("the rules", () => {
  it("have an id each, which is given once", () => {
    expect(rules.filter((rule, place) => rules.indexOf(rule) !== place)).toEqual([]);
  });

  it("each stand in the title of a test that shows it", () => {
    expect(missing(rules, titles)).toEqual([]);
  });

  it("each stand in the title of a test that npm test does not leave out", () => {
    const tests = filesIn(/\.test\.ts$/).map(byLength);
    const long = tests.flatMap((file) => file.long).filter((each) => rules.includes(each));
    expect(missing(long, ...tests.map(({ short }) => short))).toEqual([]);
  });

  it("are there for every id that a title names, unless its family lives as titles", () => {
    expect(missing(titles, rules).filter((rule) => !isTitleFamily(rule))).toEqual([]);
  });

  it("are there for every id that code and documents cite; of a family that lives as titles, a title is", () => {
    const families = new Set(rules.map(familyOf));
    const sources = filesIn(/\.md$/, /^(apps|packages|scripts|tests)\/.*\.(md|ts|tsx|mjs|sql|py|css)$/);
    const cited = sources.flatMap((path) => read(path).match(id) ?? []);
    expect(missing(cited, rules, titles).filter((each) => families.has(familyOf(each)))).toEqual([]);
  });
});

describe("SPEC.md", () => {
  const spec = read("SPEC.md");

  it("has at most 80 KB", () => {
    expect(Buffer.byteLength(spec)).toBeLessThanOrEqual(80_000);
  });

  it("lists every section in its contents, in order", () => {
    const sections = [...spec.matchAll(/^## (.*)$/gm)].map(([, title = ""]) => title);
    const contents = /## Contents\n([\s\S]*?)\n## /.exec(spec)?.[1] ?? "";
    const links = [...contents.matchAll(/\[(.*?)\]\(#(.*?)\)/g)].map(([, text, anchor]) => [text, anchor]);
    expect(links).toEqual(
      sections
        .filter((title) => title !== "Contents")
        .map((title) => [title.replace(/ \([A-Z]+\)$/, ""), anchorOf(title)]),
    );
  });
});

describe("docs/deviations.md", () => {
  it("says in each row why, and names a rule, which a test shows; how components are made has none", () => {
    const rows = [
      ...read("docs/deviations.md").matchAll(/^\| (?!The description|-)(.*) \| (.*) \| (.*) \|$/gm),
    ];
    expect(rows.length).toBeGreaterThan(50);
    for (const [row, , , why] of rows) expect(why?.trim(), row).not.toBe("");
    const unnamed = rows.filter(([, , does = ""]) => !/[A-Z]{2,}-\d+/.test(does));
    expect(unnamed.map(([, says]) => says).filter((says) => !says?.startsWith("shadcn/ui: "))).toEqual([]);
  });
});

/** Returns the anchor that GitHub generates for a heading. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}
