import { expect, it } from "vitest";
import { cutIntoPieces } from "./cut-into-pieces.js";

it("[SEARCH-6] cuts a long document at headings, paragraphs, lines or words, and loses nothing", () => {
  const texts = [
    `${"text\n".repeat(30)}\n## Next\n${"text\n".repeat(30)}`,
    "word ".repeat(100),
    "x".repeat(301),
    "🌳".repeat(151),
    "",
  ];
  for (const text of texts) {
    const pieces = cutIntoPieces(text, 100);
    expect(pieces.join("")).toBe(text);
    for (const piece of pieces) {
      expect(piece.length).toBeLessThanOrEqual(100);
      expect(piece).not.toMatch(/\p{Surrogate}/u);
    }
  }
  expect(cutIntoPieces(`${"a ".repeat(40)}\n# B\n${"b ".repeat(20)}`, 100)[1]).toMatch(/^# B/);
  expect(cutIntoPieces("short")).toEqual(["short"]);
});
