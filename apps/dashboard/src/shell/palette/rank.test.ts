import { expect, it } from "vitest";
import type { PaletteEntry } from "@/parts/feature";
import { findEntries } from "./palette-entries";
import { rankMatch } from "./rank";

it("[DASH-340] what is typed finds the label itself first, then its beginning, its words, their parts, words beside it and first letters", () => {
  const ranks = [
    rankMatch("Tasks", "tasks"),
    rankMatch("ta", "Tasks"),
    rankMatch("auth sp", "Split the auth service"),
    rankMatch("ervi", "Split the auth service"),
    rankMatch("keys", "Show the shortcuts", ["keys"]),
    rankMatch("sas", "Split the auth service"),
    rankMatch("zz", "Split the auth service"),
  ];
  expect(ranks).toEqual([6, 5, 4, 3, 2, 1, 0]);
  expect(rankMatch("malaga", "Málaga")).toBe(6);
});

it("[DASH-340] of what matches equally well sessions come before people, pages, actions and tasks", () => {
  const entries = (["task", "action", "page", "person", "session"] as const).map(
    (kind): PaletteEntry => ({ key: kind, kind, label: "Cedar", note: "" }),
  );
  expect(findEntries(entries, "ced").map(({ kind }) => kind)).toEqual([
    "session",
    "person",
    "page",
    "action",
    "task",
  ]);
});
