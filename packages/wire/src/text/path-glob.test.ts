import { expect, it } from "vitest";
import { globMatches, globsOverlap } from "./path-glob.js";
import { describeScopeProblem, normaliseScope, scopeContainsFile, scopesOverlap } from "./scope.js";

/** Converts a pattern to a regular expression, as an independent implementation to compare with. */
function toExpression(glob: string): RegExp {
  const segments = glob.split("/").map((segment) => {
    if (segment === "**") return "(?:[^/]+/)*";
    const name = [...segment].map((each) => ({ "*": "[^/]*", "?": "[^/]" })[each] ?? each).join("");
    return `(?=[^/])${name}/`;
  });
  return new RegExp(`^${segments.join("")}$`);
}

function sequencesOf<Item>(items: readonly Item[], lengthMax: number): Item[][] {
  let last: Item[][] = [[]];
  const all: Item[][] = [];
  for (let length = 1; length <= lengthMax; length += 1) {
    last = last.flatMap((sequence) => items.map((item) => [...sequence, item]));
    all.push(...last);
  }
  return all;
}

/**
 * Names for test paths. If two patterns as short as these overlap at all, they also overlap on a path made of
 * these names.
 */
const names = sequencesOf(["a", "b"], 3).map((each) => each.join(""));
const paths = sequencesOf(names, 3).map((each) => each.join("/"));
const segments = [...sequencesOf(["a", "b", "*", "?"], 2).map((each) => each.join("")), "**"].filter(
  (each, index, all) => all.indexOf(each) === index,
);
const globs = sequencesOf(segments, 2).map((each) => each.join("/"));

it("[CLAIM-6] two patterns overlap exactly where a path matches both, of all short patterns and paths", () => {
  const matched = globs.map((glob) => {
    const expression = toExpression(glob);
    const bits = new Uint32Array(Math.ceil(paths.length / 32));
    paths.forEach((path, index) => {
      if (expression.test(`${path}/`)) bits[index >> 5] = (bits[index >> 5] ?? 0) | (1 << (index & 31));
    });
    return bits;
  });
  const wrong: string[] = [];
  for (const [i, a] of globs.entries()) {
    for (let j = i; j < globs.length; j += 1) {
      const b = globs[j] ?? "";
      const [bitsA, bitsB] = [matched[i] ?? new Uint32Array(), matched[j] ?? new Uint32Array()];
      const expected = bitsA.some((each, at) => (each & (bitsB[at] ?? 0)) !== 0);
      if (globsOverlap(a, b) !== expected || globsOverlap(b, a) !== expected) wrong.push(`${a} and ${b}`);
    }
  }
  expect(globs.length).toBeGreaterThan(400);
  expect(wrong).toEqual([]);
});

it("[CLAIM-6] a pattern matches a path exactly as the expression does", () => {
  const wrong = globs.flatMap((glob) => {
    const expression = toExpression(glob);
    return paths
      .filter((_, index) => index % 37 === 0)
      .filter((path) => globMatches(glob, path) !== expression.test(`${path}/`))
      .map((path) => `${glob} and ${path}`);
  });
  expect(wrong).toEqual([]);
});

it("[CLAIM-6] what stands for much takes no longer than its length says", () => {
  const stars = `${"*a".repeat(100)}b`;
  const folders = Array.from({ length: 100 }, () => "**").join("/a/");
  // Trying all possibilities would take far too long, so these calls return only if the algorithm is
  // efficient.
  expect(globsOverlap(stars, `${"a*".repeat(100)}c`)).toBe(false);
  expect(globsOverlap(`${folders}/b`, `${folders}/c`)).toBe(false);
});

it("[CLAIM-1] a scope is files, an issue or a name; a folder is all that is in it, and a file's own * stands for nothing", () => {
  expect(normaliseScope(" repo:/src/auth/ ")).toBe("repo:src/auth/**");
  expect(normaliseScope("issue:#12")).toBe("issue:#12");
  expect(scopesOverlap("deploy", "deploy")).toBe(true);
  expect(scopesOverlap("deploy", "repo:**")).toBe(false);
  expect(scopeContainsFile("repo:src/**", "src/a/b.ts")).toBe(true);
  expect(scopeContainsFile("repo:src/?.ts", "src/ab.ts")).toBe(false);
  expect(scopeContainsFile("repo:src/a.ts", "src/*.ts")).toBe(false);
  expect(scopeContainsFile("deploy", "deploy")).toBe(false);
  for (const scope of ["repo:../a", "repo:a/./b", "repo:a//b", "repo:[ab]", "repo:a**/b"])
    expect(describeScopeProblem(scope), scope).not.toBeNull();
});
