import { expect, it } from "vitest";
import { shortValueText, valueText } from "./format-state.js";

it("[CLI-53] a long value is cut where it stands among other words, with its length", () => {
  const entry = { value: { text: "é\n\u202e".repeat(200) }, deleted: false };
  expect([...shortValueText(entry)].slice(200).join("")).toMatch(/^… \([\d,]+ characters\)$/);
  expect(valueText(entry).length).toBeGreaterThan(600);
  expect(valueText(entry)).not.toContain("\u202e");
  expect(shortValueText({ value: null, deleted: false })).toBe("null");
  expect(shortValueText({ deleted: true })).toBe("none");
});
