import { expect, it } from "vitest";
import { runKills } from "./kills/campaign.js";

/** A short kill campaign. `npm run test:jobs` runs the full campaign. */
it.concurrent("[RUNNER-24] kill -9 of the broker that runs a job ends the job once, and nothing of it is left", async ({
  onTestFinished,
}) => {
  const report = await runKills(
    "broker",
    ["during its agent's write, before that commits", "after its end, before that is answered"],
    onTestFinished,
  );
  expect(report.problems).toEqual([]);
});

it.concurrent("[RUNNER-24] so does kill -9 of a runner on another machine", { tags: "long" }, async ({
  onTestFinished,
}) => {
  const report = await runKills(
    "runner",
    ["after its claim, before its agent is started", "after its agent's write"],
    onTestFinished,
  );
  expect(report.problems).toEqual([]);
});
