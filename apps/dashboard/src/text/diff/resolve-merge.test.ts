import { type MergeBlock, mergeTexts } from "@merkle/wire/document";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { type ConflictChoice, resolveMerge } from "./resolve-merge";

const base = "# Plan\n\n- one\n- two\n- three\n\n## Notes\nnothing\n";

it("[DASH-117] changes at different places come together without a question", () => {
  const blocks = mergeTexts({
    base,
    mine: base.replace("- one", "- one, first"),
    theirs: base.replace("nothing", "something"),
  });
  expect(conflictsOf(blocks)).toEqual([]);
  expect(resolveMerge(blocks, new Map())).toBe(
    base.replace("- one", "- one, first").replace("nothing", "something"),
  );
});

it("[DASH-117] a place that both changed is a conflict, and is decided by a choice", () => {
  const mine = base.replace("- two", "- two (mine)");
  const theirs = base.replace("- two", "- two (theirs)").replace("nothing", "something");
  const blocks = mergeTexts({ base, mine, theirs });
  expect(conflictsOf(blocks)).toEqual([
    { kind: "conflict", base: "- two\n", mine: "- two (mine)\n", theirs: "- two (theirs)\n" },
  ]);
  expect(resolveMerge(blocks, new Map())).toBeNull();
  const merged = base.replace("nothing", "something");
  const decided = (choice: ConflictChoice) => resolveMerge(blocks, chooseAll(blocks, choice));
  expect(decided("mine")).toBe(merged.replace("- two", "- two (mine)"));
  expect(decided("theirs")).toBe(merged.replace("- two", "- two (theirs)"));
  expect(decided("mine-theirs")).toBe(merged.replace("- two", "- two (mine)\n- two (theirs)"));
  expect(decided("theirs-mine")).toBe(merged.replace("- two", "- two (theirs)\n- two (mine)"));
});

it("[DASH-117] two insertions at one place ask which comes first", () => {
  const blocks = mergeTexts({ base: "a\n", mine: "a\nmine", theirs: "a\ntheirs" });
  expect(conflictsOf(blocks)).toHaveLength(1);
  expect(resolveMerge(blocks, chooseAll(blocks, "mine-theirs"))).toBe("a\nmine\ntheirs");
});

it("[DASH-117] the same change of both sides is taken once", () => {
  const blocks = mergeTexts({ base: "a\nb\n", mine: "a\nB\n", theirs: "a\nB\n" });
  expect(resolveMerge(blocks, new Map())).toBe("a\nB\n");
});

const line = fc.constantFrom("a\n", "b\n", "c\n", "\n");
const text = fc
  .tuple(fc.array(line, { maxLength: 10 }), fc.constantFrom("", "end"))
  .map(([lines, end]) => lines.join("") + end);

it("[DASH-117] where one side changed nothing the other's text is the result, to the byte", () => {
  return fc.assert(
    fc.property(text, text, (from, to) => {
      expect(resolveMerge(mergeTexts({ base: from, mine: to, theirs: from }), new Map())).toBe(to);
      expect(resolveMerge(mergeTexts({ base: from, mine: from, theirs: to }), new Map())).toBe(to);
      expect(resolveMerge(mergeTexts({ base: from, mine: to, theirs: to }), new Map())).toBe(to);
    }),
    { numRuns: 500 },
  );
});

it("[DASH-117] nothing that either side wrote is lost, and taking one side everywhere keeps all that it wrote", () => {
  const written = (name: string) =>
    fc.array(fc.nat(12), { maxLength: 4 }).map((places) => insert(name, places));
  return fc.assert(
    fc.property(text, written("mine"), written("theirs"), (from, mineOf, theirsOf) => {
      const [mine, theirs] = [mineOf(from), theirsOf(from)];
      const blocks = mergeTexts({ base: from, mine, theirs });
      const both = resolveMerge(blocks, chooseAll(blocks, "mine-theirs")) ?? "";
      for (const own of [...ownLines(mine), ...ownLines(theirs)]) expect(both).toContain(own);
      const taken = resolveMerge(blocks, chooseAll(blocks, "mine")) ?? "";
      for (const own of ownLines(mine)) expect(taken).toContain(own);
    }),
    { numRuns: 500 },
  );
});

it("[DASH-117] texts that have little in common are merged in bounded time, as one question", () => {
  const lines = (name: string) => Array.from({ length: 8_000 }, (_, i) => `${name} ${i}\n`).join("");
  const blocks = mergeTexts({ base: lines("base"), mine: lines("mine"), theirs: lines("theirs") });
  expect(conflictsOf(blocks)).toHaveLength(1);
});

function insert(name: string, places: readonly number[]) {
  return (from: string) => {
    const lines = from.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    for (const [nth, place] of places.entries()) lines.splice(place, 0, `${name} ${nth}\n`);
    return lines.join("");
  };
}

function ownLines(text: string): string[] {
  return text.match(/(?:mine|theirs) \d+/g) ?? [];
}

function conflictsOf(blocks: readonly MergeBlock[]) {
  return blocks.filter((block) => block.kind === "conflict");
}

function chooseAll(blocks: readonly MergeBlock[], choice: ConflictChoice): Map<number, ConflictChoice> {
  return new Map([...blocks.keys()].map((index) => [index, choice]));
}
