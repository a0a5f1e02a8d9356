import { expect, it } from "vitest";
import { runCampaign } from "./campaign.js";

it("[ANCHOR-1] after hundreds of edits no place is found that is not the one that was marked", {
  tags: "long",
}, () => {
  const { wrong, edits, untouched, untouchedFound } = runCampaign({ documents: 16, seed: 8 });
  expect(wrong).toEqual([]);
  expect(edits).toBeGreaterThan(200);
  expect(untouchedFound).toBeGreaterThan(0.85 * untouched);
});

it.each([
  { seed: 11, first: 497, what: "short places in lines that stand more than once" },
  { seed: 22, first: 407, what: "a copy, and a part of the original" },
  { seed: 33, first: 387, what: "a word within another" },
  { seed: 44, first: 395, what: "a copy before an original that was written anew" },
  { seed: 44, first: 463, what: "a line that was lost, and stands there again" },
  { seed: 55, first: 119, what: "a copy, and a short part of the original" },
  { seed: 66, first: 457, what: "a word that came along with what stood behind it" },
])("[ANCHOR-1] $what: a document in which one once was", ({ seed, first }) => {
  expect(runCampaign({ documents: 1, seed, first }).wrong).toEqual([]);
});
