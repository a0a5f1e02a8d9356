import { expect, it } from "vitest";
import { displayWidth } from "./display-width.js";
import { formatList, type ListColumn } from "./list-layout.js";

const columns: readonly ListColumn[] = [
  { head: "Session" },
  { head: "Title", widthMin: 8 },
  { head: "Teams", isOptional: true },
  { head: "Document", isOptional: true },
];
const rows = [
  ["split-the-auth-service", "Split the auth service", "A● B◐", "v12"],
  ["q4", "Q4 pricing", "", "v1"],
].map((row) => row.map((text) => ({ text })));

it("[CLI-166] the title is cut and optional columns are left out, but never the name", () => {
  const at = (width: number) => formatList(rows, { columns, width, more: "…" }).split("\n");
  expect(at(Number.POSITIVE_INFINITY)).toEqual([
    "split-the-auth-service  Split the auth service  A● B◐  v12",
    "q4                      Q4 pricing                     v1",
  ]);
  expect(at(48)[0]).toBe("split-the-auth-service  Split the a…  A● B◐  v12");
  expect(at(40)[0], "the last optional column first").toBe("split-the-auth-service  Split th…  A● B◐");
  expect(at(34)[0]).toBe("split-the-auth-service  Split the…");
});

it("[CLI-166] where both have no room, the title is below the name", () => {
  const stacked = formatList(rows, { columns, width: 28, more: "…", paintHead: String });
  expect(stacked.split("\n")).toEqual([
    "Session",
    "split-the-auth-service",
    "    Split the auth service",
    "q4",
    "    Q4 pricing",
  ]);
  const lines = formatList(rows, { columns, width: 20, more: "…" }).split("\n");
  for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(20);
  expect(lines.join("").replaceAll(" ", "")).toContain("split-the-auth-service");
  expect(lines.filter((line) => !line.startsWith("    "))).toHaveLength(2);
});

it("[CLI-166] headings are as wide as their columns, and numbers are below each other", () => {
  const numbers: readonly ListColumn[] = [
    { head: "Name" },
    { head: "Tokens", align: "right" },
    { head: "Cost" },
  ];
  const values = [
    ["Atlas", "1,200", ""],
    ["Cedar", "7", ""],
  ].map((row) => row.map((text) => ({ text })));
  const layout = { columns: numbers, width: 80, more: "…", paintHead: (text: string) => text.toUpperCase() };
  expect(formatList(values, layout)).toBe("NAME   TOKENS\nAtlas   1,200\nCedar       7");
});
