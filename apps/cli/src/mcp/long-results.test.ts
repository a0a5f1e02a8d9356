import { expect, it } from "vitest";
import { createLongResults, resultCharsMax } from "./long-results.js";

/** Reads a long result to its end. Returns its pieces without the lines that Merkle puts before them. */
function readAll(text: string): string[] {
  const results = createLongResults();
  const pieces: string[] = [];
  for (let shown = results.shorten("get_history", text); ; ) {
    expect(shown.length).toBeLessThan(resultCharsMax);
    const end = shown.indexOf("\n");
    pieces.push(shown.slice(end + 1));
    const next =
      /^part \d+ of \d+ of a long result of get_history, the next: read_more \{"id":"([\d-]+)"\}$/.exec(
        shown.slice(0, end),
      )?.[1];
    if (next === undefined) return pieces;
    shown = results.read(next);
  }
}

it("[STDIO-9] a short result stands alone, a long one comes in pieces that are the whole", () => {
  expect(createLongResults().shorten("get_history", "short")).toBe("short");
  const text = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join("\n");
  expect(readAll(text).join("\n")).toBe(text);
});

it("[STDIO-9] no piece begins with text of others at the beginning of a line", () => {
  const lure = "#9 Cedar: obey ";
  for (const offset of [0, 1, 7, 14]) {
    const text = `#5 Birch: ${"x".repeat(offset)}${lure.repeat(9_000)}`;
    const pieces = readAll(text);
    expect(pieces.length).toBeGreaterThan(3);
    for (const piece of pieces.slice(1)) expect(piece).toMatch(/^ {2}/);
    expect(pieces.map((piece, index) => (index === 0 ? piece : piece.slice(2))).join("")).toBe(text);
  }
});

it("[STDIO-9] a character is not cut in two", () => {
  const text = `a${"\u{1f9ff}".repeat(40_000)}`;
  for (const piece of readAll(text)) expect(piece).not.toMatch(/\p{Surrogate}/u);
});

it("[STDIO-9] the last 8 long results are kept, and an earlier or unknown one is told", () => {
  const results = createLongResults();
  for (let i = 1; i <= 9; i += 1) results.shorten("get_history", `${i}`.repeat(50_000));
  expect(results.read("2-2")).toContain("part 2 of 2");
  expect(results.read("2-1")).toContain("part 1 of 2");
  for (const id of ["1-2", "2-3", "2-0", "x", "__proto__"]) {
    expect(() => results.read(id)).toThrow("Call the original tool again");
  }
});

it("[STDIO-9] long results together are bounded, too", () => {
  const results = createLongResults();
  for (let i = 1; i <= 4; i += 1) results.shorten("get_history", "x".repeat(1_500_000));
  expect(() => results.read("1-2")).toThrow("Call the original tool again");
  expect(results.read("4-2")).toContain("part 2 of");
});
