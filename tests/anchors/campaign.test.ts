import { expect, it } from "vitest";
import { runCampaign } from "./campaign.js";

it("[ANCHOR-1] after hundreds of edits no place is found that is not the one that was marked", () => {
  const { wrong, edits, untouched, untouchedFound } = runCampaign({ documents: 16, seed: 8 });
  expect(wrong).toEqual([]);
  expect(edits).toBeGreaterThan(200);
  expect(untouchedFound).toBeGreaterThan(0.85 * untouched);
});
