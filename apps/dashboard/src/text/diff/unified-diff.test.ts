import { expect, it } from "vitest";
import { findChangedParts, pairLines, toSplitRows } from "./diff-rows";
import { listTouchedSections, parseUnifiedDiff } from "./unified-diff";

const diff = [
  "--- v12",
  "+++ v14",
  "@@ -3,4 +3,5 @@ ## Decisions",
  " - Keep tokens",
  "-- Old clients break",
  "+- Old clients go on",
  "+- For 30 days",
  " ",
  " done",
  "@@ -20,2 +21,2 @@ ## Notes",
  " --- not a name",
  "-+++ neither",
  "+end",
  "\\ No newline at end of file",
  "",
].join("\n");

it("[DASH-121] a diff is read with its sections, its counts and the numbers of its lines", () => {
  const parsed = parseUnifiedDiff(diff);
  expect(parsed).toMatchObject({ added: 3, removed: 2 });
  expect(listTouchedSections(parsed)).toEqual(["Decisions", "Notes"]);
  expect(parsed.hunks[0]?.lines.map(({ oldLine, newLine, text }) => [oldLine, newLine, text])).toEqual([
    [3, 3, "- Keep tokens"],
    [4, null, "- Old clients break"],
    [null, 4, "- Old clients go on"],
    [null, 5, "- For 30 days"],
    [5, 6, ""],
    [6, 7, "done"],
  ]);
  expect(
    parsed.hunks[1]?.lines.map(({ kind, text, hasNoLineBreak: endsText }) => [kind, text, endsText]),
  ).toEqual([
    ["same", "--- not a name", false],
    ["removed", "+++ neither", false],
    ["added", "end", true],
  ]);
  expect(parseUnifiedDiff("")).toEqual({ hunks: [], added: 0, removed: 0 });
});

it("[DASH-121] side by side, a removed line stands beside the one that replaced it", () => {
  const rows = toSplitRows(parseUnifiedDiff(diff).hunks[0]?.lines ?? []);
  expect(rows.map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
    ["- Keep tokens", "- Keep tokens"],
    ["- Old clients break", "- Old clients go on"],
    [null, "- For 30 days"],
    ["", ""],
    ["done", "done"],
  ]);
});

it("[DASH-121] within a replaced line only what differs is marked, unless nearly all does", () => {
  expect(findChangedParts("- Keep it 30 days", "- Keep it for 90 days")).toEqual({
    removed: { start: 10, end: 11 },
    added: { start: 10, end: 15 },
  });
  expect(findChangedParts("a 😀 b and more", "a 😁 b and more")).toEqual({
    removed: { start: 2, end: 4 },
    added: { start: 2, end: 4 },
  });
  expect(findChangedParts("Something", "Else, wholly")).toBeNull();
  const lines = parseUnifiedDiff(diff).hunks[0]?.lines ?? [];
  expect([...pairLines(lines)].map(([line, other]) => [line.text, other.text])).toEqual([
    ["- Old clients break", "- Old clients go on"],
    ["- Old clients go on", "- Old clients break"],
  ]);
});
