import { describe, expect, it } from "vitest";
import { tamperWithBundles } from "./tamper-campaign.js";

describe("records that are tampered with", () => {
  it("[VERIFY-10] as bundles, in random ways: each is caught, and located", async () => {
    const seed = Date.now() % 2 ** 31;
    expect(await tamperWithBundles(100, seed), `seed ${seed}`).toEqual([]);
  });
});
