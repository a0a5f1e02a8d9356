import { expect, it } from "vitest";
import { extractBestPart } from "./extract-best-part.js";

it("[MEM-7] gives a short text whole, and of a long one the part with most marks", () => {
  expect(extractBestPart("A «b» c.", 100)).toBe("A «b» c.");
  const filler = "word ".repeat(100);
  const part = extractBestPart(`one «x» ${filler}«x» and «y» here ${filler}`, 150);
  expect(part).toMatch(/^…(?:word )+«x» and «y» here (?:word )*word…$/);
  expect(part.length).toBeLessThanOrEqual(152);
  expect(extractBestPart(`«x» ${filler}`, 100)).toMatch(/^«x» word .*word…$/);
  expect(extractBestPart(filler, 100)).toMatch(/^word .*word…$/);
});

it("[MEM-7] cuts neither a mark nor a sign of two units", () => {
  const trees = "🌳".repeat(200);
  for (let chars = 100; chars < 108; chars += 1) {
    const part = extractBestPart(`${trees}«x»${trees}`, chars);
    expect(part).not.toMatch(/\p{Surrogate}/u);
    expect(part).toContain("«x»");
    const long = extractBestPart(`a «${trees} b» ${trees}`, chars);
    expect(long).toMatch(/^a «🌳+»…$/u);
  }
  expect(extractBestPart(`${"«a»".repeat(5_000)}`, 100)).toMatch(/^(?:«a»)+…$/);
});
