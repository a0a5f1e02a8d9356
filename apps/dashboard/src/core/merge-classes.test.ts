import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { extendTailwindMerge } from "tailwind-merge";
import { expect, it } from "vitest";
import { mergeClasses } from "./merge-classes";

const source = fileURLToPath(new URL("..", import.meta.url));
const reference = extendTailwindMerge({
  extend: { theme: { text: ["title"], spacing: ["row"], container: ["page"] } },
});

it("[DASH-19] of two classes that the pages use, merging keeps what the library that knows all of Tailwind keeps", () => {
  const names = someOfEachKind(new Set(classNamesIn(source)));
  expect(names.length).toBeGreaterThan(100);
  const different: string[] = [];
  for (const first of names) {
    for (const second of names) {
      const pair = `${first} ${second}`;
      if (mergeClasses(pair) !== reference(pair))
        different.push(`${pair} -> ${mergeClasses(pair)} | ${reference(pair)}`);
    }
  }
  expect(different).toEqual([]);
});

it("[DASH-19] conditions are told apart, whatever their order", () => {
  expect(mergeClasses("p-4 sm:p-6 p-0 sm:p-0")).toBe("p-0 sm:p-0");
  expect(mergeClasses("sm:hover:bg-raised hover:sm:bg-surface")).toBe("hover:sm:bg-surface");
  expect(mergeClasses("aria-[current=page]:p-1 p-2")).toBe("aria-[current=page]:p-1 p-2");
});

/** Returns the words in our components' string literals that look like class names. */
function classNamesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => [...readFileSync(`${folder}/${file}`, "utf8").matchAll(/"([^"\n]*)"/g)])
    .map(([, text = ""]) => text.split(" "))
    .filter(
      (words) =>
        words.length > 2 &&
        words.some((word) => /^(?:flex|grid|text-|bg-|border|p[xy]?-|rounded)/.test(word)),
    )
    .flat()
    .filter((word) => /^-?[a-z][\w./[\]()%-]*$/.test(word));
}

/** Keeps at most four classes that differ only in their value, because a few are representative. */
function someOfEachKind(names: Iterable<string>): string[] {
  const seen = new Map<string, number>();
  return [...names].filter((name) => {
    const kind = name.replace(/-(?:\d[\d./]*|px|auto|full|\[.*|[a-z]+(?:\/\d+)?)$/, "-");
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    return (seen.get(kind) ?? 0) <= 4;
  });
}
