import { expect, it } from "vitest";
import { formatShortValue, formatValue } from "./format-state.js";

it("[CLI-53] a long value is cut where it stands among other words, with its length", () => {
  const entry = { value: { text: "é\n\u202e".repeat(200) }, deleted: false };
  expect([...formatShortValue(entry)].slice(200).join("")).toMatch(/^… \([\d,]+ characters\)$/);
  expect(formatValue(entry).length).toBeGreaterThan(600);
  expect(formatValue(entry)).not.toContain("\u202e");
  expect(formatShortValue({ value: null, deleted: false })).toBe("null");
  expect(formatShortValue({ deleted: true })).toBe("none");
});
