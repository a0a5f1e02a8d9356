import {
  type AttentionItem,
  describeGroup,
  type GroupOptions,
  groupItems,
  type ItemGroup,
} from "@merkle/wire";
import { expect, it } from "vitest";
import { stagedAsk } from "./staged-items";

type Kind = AttentionItem["kind"];

function stage(
  ...counts: readonly [kind: Exclude<Kind, "quota_near">, count: number][]
): Pick<GroupOptions, "items" | "kinds"> {
  return {
    items: counts.flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, n) => ({ ...stagedAsk, kind, number: n, id: `${kind}:1:${n}` })),
    ),
    kinds: counts.map(([kind, count]) => ({ kind, count })),
  };
}

function list(options: Pick<GroupOptions, "items" | "kinds"> & Partial<GroupOptions>): string[] {
  return groupItems({ opened: new Set(), linkedId: null, ...options }).flatMap(toLines);
}

function toLines(group: ItemGroup): string[] {
  const lines = group.shown.map(({ id }) => id);
  if (group.foldedCount > 0) lines.push(describeGroup(group));
  return group.isOpen ? [...lines, ...group.folded.map(({ id }) => id)] : lines;
}

it("[DASH-372] a few items have a line each", () => {
  expect(list(stage(["blocked", 1], ["ask", 2], ["quiet", 2]))).toEqual([
    "blocked:1:0",
    "ask:1:0",
    "ask:1:1",
    "quiet:1:0",
    "quiet:1:1",
  ]);
  expect(list({ items: [], kinds: [] })).toEqual([]);
});

it("[DASH-372] many items fold by cause, the least urgent first, until five lines are left", () => {
  expect(list(stage(["blocked", 2], ["ask", 6], ["handed_back", 23], ["quiet", 11]))).toEqual([
    "blocked:1:0",
    "blocked:1:1",
    "6 questions have no answer",
    "23 tasks were handed back",
    "11 sessions have gone quiet",
  ]);
  expect(list(stage(["blocked", 30], ["handed_back", 23], ["quiet", 11]))).toEqual([
    "blocked:1:0",
    "blocked:1:1",
    "28 more agents are blocked",
    "23 tasks were handed back",
    "11 sessions have gone quiet",
  ]);
  expect(list(stage(["ask", 9])), "one cause").toHaveLength(9);
});

it("[DASH-372] what was unfolded stays so, and an item in the address has a line", () => {
  const staged = stage(["ask", 4], ["handed_back", 23]);
  expect(list({ ...staged, opened: new Set(["handed_back"]) })).toHaveLength(4 + 1 + 23);
  expect(list({ ...staged, linkedId: "handed_back:1:7" })).toContain("handed_back:1:7");
  expect(list({ ...staged, linkedId: "ask:1:1" })).toHaveLength(5);
});

it("[DASH-372] a cause counts the items that the reply had no room for", () => {
  const staged = stage(["ask", 4], ["handed_back", 196]);
  const kinds = [
    staged.kinds[0] ?? { kind: "ask", count: 4 },
    { kind: "handed_back", count: 1_000 } as const,
  ];
  expect(list({ ...staged, kinds })).toContain("1,000 tasks were handed back");
  const claim = { ...stagedAsk, kind: "handed_back", number: null, id: "handed_back:1:c" } as const;
  expect(list({ items: [...staged.items, claim], kinds }).at(-1)).toBe(
    "1,000 tasks and claims were handed back",
  );
});
