import { expect, it } from "vitest";
import { runCampaign } from "./campaign.js";

it("[ANCHOR-1] after hundreds of edits no place is found that is not the one that was marked", () => {
  const { wrong, edits, untouched, untouchedFound } = runCampaign({ documents: 16, seed: 8 });
  expect(wrong).toEqual([]);
  expect(edits).toBeGreaterThan(200);
  expect(untouchedFound).toBeGreaterThan(0.85 * untouched);
});

it.each([
  { seed: 11, first: 497, what: "short places in lines that stand more than once" },
  { seed: 22, first: 407, what: "a copy, and a part of the original" },
  { seed: 33, first: 387, what: "a word within another" },
])("[ANCHOR-1] $what: a document in which one once was", ({ seed, first }) => {
  expect(runCampaign({ documents: 1, seed, first }).wrong).toEqual([]);
});
