import { applyPatch } from "diff";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createUnifiedDiff } from "./unified-diff.js";

const diff = (from: string, to: string) =>
  createUnifiedDiff({ from, to, fromLabel: "v3", toLabel: "v4", contextLines: 1 });

it("[DOC-8] is a unified diff with its labels", () => {
  expect(diff("a\nb\nc\nd\n", "a\nb\nC\nd\n")).toBe("--- v3\n+++ v4\n@@ -2,3 +2,3 @@\n b\n-c\n+C\n d\n");
});

it("[DOC-8] names with each hunk the heading of the section that its first change is in", () => {
  const from = "# Plan\n\nintro\n\n## Token store\n\na\nb\nc\n\n```\n# no heading\n```\n\nd\n";
  const hunks = diff(`${from}e\n`, `${from.replace("b", "B").replace("intro", "Intro")}E\n`).match(
    /^@@.*$/gm,
  );
  expect(hunks).toEqual([
    "@@ -2,3 +2,3 @@ # Plan",
    "@@ -7,3 +7,3 @@ ## Token store",
    "@@ -15,2 +15,2 @@ ## Token store",
  ]);
});

it("[DOC-8] a change right below a heading is in that section, and one above it is not", () => {
  const from = "# A\n\na\n## B\nb\n";
  const headOf = (to: string) => diff(from, to).match(/^@@.*$/gm);
  expect(headOf(from.replace("b", "B!"))).toEqual(["@@ -4,2 +4,2 @@ ## B"]);
  expect(headOf(from.replace("a\n#", "a\nmore\n#"))).toEqual(["@@ -3,2 +3,3 @@ # A"]);
  expect(headOf(from.replace("a\n#", "a2\n#"))).toEqual(["@@ -2,3 +2,3 @@ # A"]);
  expect(headOf(from.replace("## B", "## C"))).toEqual(["@@ -3,3 +3,3 @@ ## B"]);
});

it("[DOC-8] is empty when nothing changed", () => {
  expect(diff("a", "a")).toBe("");
});

it("[DOC-8] a missing line break at the end counts", () => {
  expect(diff("a", "a\n")).toBe("--- v3\n+++ v4\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
});

it("[DOC-8] applied to the first text it gives the second, however much changed", () => {
  const lines = fc.array(fc.constantFrom("a\n", "b\n", "c\r\n", "\n"), { maxLength: 12 });
  const text = fc.tuple(lines, fc.constantFrom("", "end")).map(([all, end]) => all.join("") + end);
  return fc.assert(
    fc.property(text, text, (from, to) => {
      fc.pre(from !== to);
      expect(applyPatch(from, diff(from, to), { autoConvertLineEndings: false })).toBe(to);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ["", ""],
  ["kept\n", "kept"],
  ["", "no line break"],
])("[OPS-7] where too much changed, one hunk replaces all of it, between %j and %j", (top, bottom) => {
  const numbered = (name: string) => Array.from({ length: 5000 }, (_, i) => `${name} ${i}\n`).join("");
  const from = top + numbered("old") + bottom;
  const to = top + numbered("new") + bottom;
  const patch = diff(from, to);
  expect(patch.match(/^@@/gm)).toHaveLength(1);
  expect(applyPatch(from, patch, { autoConvertLineEndings: false })).toBe(to);
  expect(applyPatch("", diff("", to))).toBe(to);
  expect(applyPatch(from, diff(from, ""))).toBe("");
});
