import { expect, it } from "vitest";
import { bestPart } from "./best-part.js";

it("[MEM-7] gives a short text whole, and of a long one the part with most marks", () => {
  expect(bestPart("A «b» c.", 100)).toBe("A «b» c.");
  const filler = "word ".repeat(100);
  const part = bestPart(`one «x» ${filler}«x» and «y» here ${filler}`, 150);
  expect(part).toMatch(/^…(?:word )+«x» and «y» here (?:word )*word…$/);
  expect(part.length).toBeLessThanOrEqual(152);
  expect(bestPart(`«x» ${filler}`, 100)).toMatch(/^«x» word .*word…$/);
  expect(bestPart(filler, 100)).toMatch(/^word .*word…$/);
});

it("[MEM-7] cuts neither a mark nor a sign of two units", () => {
  const trees = "🌳".repeat(200);
  for (let chars = 100; chars < 108; chars += 1) {
    const part = bestPart(`${trees}«x»${trees}`, chars);
    expect(part).not.toMatch(/\p{Surrogate}/u);
    expect(part).toContain("«x»");
    const long = bestPart(`a «${trees} b» ${trees}`, chars);
    expect(long).toMatch(/^a «🌳+»…$/u);
  }
  expect(bestPart(`${"«a»".repeat(5_000)}`, 100)).toMatch(/^(?:«a»)+…$/);
});
