import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Preparations that take seconds and that only some test files need. */
export type Preparation = "postgres" | "program" | "preparedHome" | "dashboard" | "conformance";

/** Patterns that match a source file if tests that import the file need the preparation. */
const signs: Readonly<Record<Preparation, RegExp>> = {
  postgres: /inject\("postgres"\)/,
  program: /inject\("program"\)/,
  // `testMerkle` uses the prepared home only for `up`, which most command tests do not run.
  preparedHome: /inject\("preparedHome"\), home\.path|\["up", "--/,
  dashboard: /apps\/dashboard\/out"/,
  conformance: /tools\/conformance/,
};

// Matches imports in the format that Biome produces. The last line of a longer import begins with `} from`. Type
// imports need no preparation.
const imports = /^(?!import type|export type)(?:.*\bfrom|import) "(\.[^"]+)";$|\bimport\(\s*"(\.[^"]+)"/gm;

/** Returns the preparations that these test files need, according to the text of the files and their imports. */
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
