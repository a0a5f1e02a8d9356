import { expect, it } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { runCutReaders } from "./cut-readers.js";

it("[CURSOR-6] [DELIVER-9] replies cut at any byte lose nothing that was not offered again, and nothing counts as delivered that was not read", async () => {
  const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000);
  const report = await runCutReaders(await startTestBroker(), { cuts: 40, seed });
  expect(report.problems, `seed ${seed}`).toEqual([]);
});
