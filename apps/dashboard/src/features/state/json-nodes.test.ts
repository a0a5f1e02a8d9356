import { expect, it } from "vitest";
import { childrenPerPage, computeOpenNodes, listVisibleNodes } from "./json-nodes";

const nothing = { open: new Set<string>(), shown: new Map<string, number>() };
const value = { keys: { "a/b": [1, 2], "~": null }, flags: [], on: true };

function linesOf(open: readonly string[]) {
  return listVisibleNodes(value, { ...nothing, open: new Set(open) }).map((node) =>
    node.kind === "value"
      ? `${node.level} ${node.path}${node.childCount === null ? "" : ` (${node.childCount})`}`
      : "more",
  );
}

it("[DASH-143] shows of a value what is open", () => {
  expect(linesOf([])).toEqual(["1  (3)"]);
  expect(linesOf(["", "/keys", "/flags", "/nowhere"])).toEqual([
    "1  (3)",
    "2 /keys (2)",
    "3 /keys/a~1b (2)",
    "3 /keys/~0",
    "2 /flags (0)",
    "2 /on",
  ]);
  expect(listVisibleNodes("text", nothing)).toMatchObject([{ path: "", childCount: null, isOpen: false }]);
});

it("[DASH-143] shows a long list in parts, and says how many are left", () => {
  const list = Array.from({ length: 250 }, (_, index) => index);
  const open = new Set([""]);
  expect(listVisibleNodes(list, { ...nothing, open })).toHaveLength(1 + childrenPerPage + 1);
  expect(listVisibleNodes(list, { ...nothing, open }).at(-1)).toMatchObject({ kind: "more", left: 150 });
  expect(listVisibleNodes(list, { open, shown: new Map([["", 300]]) })).toHaveLength(1 + 250);
});

it("[DASH-143] opens as many levels as a number of lines has room for", () => {
  expect([...computeOpenNodes(value, 2, 50)].sort()).toEqual(["", "/keys"]);
  expect([...computeOpenNodes(value, 9, 50)].sort()).toEqual(["", "/keys", "/keys/a~1b"]);
  expect([...computeOpenNodes(value, 2, 5)]).toEqual([""]);
  expect([...computeOpenNodes(Array(1000).fill(0), 2, 50)]).toEqual([]);
  expect([...computeOpenNodes(1, 2, 50)]).toEqual([]);
});
