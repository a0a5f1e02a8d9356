import { describe, expect, it } from "vitest";
import { isExhaustive } from "../kit/exhaustive.js";
import { compareForks, tamperWithLogs, tamperWithLogsForPython } from "./tamper-log.js";

/** Each run uses a new seed, which failures print. */
const seed = Date.now() % 2 ** 31;

describe("an operator with the database and every key but the witnesses'", () => {
  it("[WITNESS-33] shows no reader who requires witnesses what they did not cosign", {
    timeout: 1_800_000,
  }, async () => {
    expect(await tamperWithLogs(isExhaustive ? 2_000 : 60, seed), `seed ${seed}`).toEqual([]);
  });

  it("[WITNESS-33] nor a reader with the verifier in another language", {
    tags: "python",
    timeout: 1_800_000,
  }, async () => {
    expect(await tamperWithLogsForPython(isExhaustive ? 500 : 24, seed), `seed ${seed}`).toEqual([]);
  });

  it("[WITNESS-33] is found by members who compare, without any witness", {
    tags: "python",
    timeout: 1_800_000,
  }, async () => {
    expect(await compareForks(isExhaustive ? 200 : 10, seed), `seed ${seed}`).toEqual([]);
  });
});
