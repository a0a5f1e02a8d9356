import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What test files may need that takes seconds to prepare. */
export type Preparation = "postgres" | "program" | "preparedHome" | "dashboard" | "conformance";

/** By what a source shows that it needs it, itself or in the tests that import it. */
const signs: Readonly<Record<Preparation, RegExp>> = {
  postgres: /inject\("postgres"\)/,
  program: /inject\("program"\)/,
  // `testMerkle` uses it for `up` alone, which most tests of commands do not run.
  preparedHome: /inject\("preparedHome"\), home\.path|\["up", "--/,
  dashboard: /apps\/dashboard\/out"/,
  conformance: /tools\/conformance/,
};

// Biome writes every import like this, and `from` ends one that takes several lines. Types prepare nothing.
const imports = /^(?!import type|export type)(?:.*\bfrom|import) "(\.[^"]+)";$|\bimport\(\s*"(\.[^"]+)"/gm;

/** What these test files need, by their own text and that of what they import. */
export function findNeeds(files: readonly string[]): ReadonlySet<Preparation> {
  const needs = new Set<Preparation>();
  const read = new Set<string>();
  const unread = [...files];
  for (let path = unread.pop(); path !== undefined; path = unread.pop()) {
    if (read.has(path)) continue;
    read.add(path);
    const text = readFileSync(path, "utf8");
    for (const [need, sign] of Object.entries(signs)) if (sign.test(text)) needs.add(need as Preparation);
    for (const [, named, awaited] of text.matchAll(imports)) {
      const source = toSource(join(dirname(path), named ?? awaited ?? ""));
      if (source) unread.push(source);
    }
  }
  return needs;
}

function toSource(path: string): string | undefined {
  const bare = path.replace(/\.jsx?$/, "");
  return [`${bare}.ts`, `${bare}.tsx`].find((each) => existsSync(each));
}
