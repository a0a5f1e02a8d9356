import { expect, it } from "vitest";
import { applyHunks } from "./apply-hunks.js";

const text = "a\nb\nc\n";
const first = { old_start: 1, old_lines: ["a\n"], new_lines: ["A\n", "A2\n"] };
const inserted = { old_start: 3, old_lines: [], new_lines: ["new\n"] };
const last = { old_start: 3, old_lines: ["c\n"], new_lines: [] };

it("[PROP-6] hunks change their own places alone, whichever are taken", () => {
  expect(applyHunks(text, [])).toBe(text);
  expect(applyHunks(text, [first])).toBe("A\nA2\nb\nc\n");
  expect(applyHunks(text, [inserted, first])).toBe("A\nA2\nb\nnew\nc\n");
  expect(applyHunks(text, [last, first])).toBe("A\nA2\nb\n");
  expect(applyHunks("a", [{ old_start: 1, old_lines: ["a"], new_lines: ["a\n"] }])).toBe("a\n");
  expect(applyHunks("", [{ old_start: 1, old_lines: [], new_lines: ["x"] }])).toBe("x");
});

it("[PROP-6] hunks of another text are not applied to this one", () => {
  expect(applyHunks("a\nb\nd\n", [last])).toBeNull();
  expect(applyHunks("a\n", [inserted])).toBeNull();
  expect(applyHunks(text, [first, first])).toBeNull();
});
