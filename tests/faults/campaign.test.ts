import { expect, it } from "vitest";
import { runShuffled } from "./run-shuffled.js";

/** Timeout of the short campaign, which normally takes about a minute. `npm run test:faults` runs the full campaign. */
const deadlineMs = 20 * 60_000;

it(
  "[FEED-2] [FEED-4] [FEED-15] [DB-3] [DB-4] kills of broker and PostgreSQL, and a held feed, lose, repeat and reorder nothing",
  async () => {
    const report = await runShuffled({
      where: "embedded",
      deadlineMs,
      faults: { killBroker: 1, killBrokerTwice: 1, killPostgres: 1, killBackend: 1, holdWithAppend: 1 },
    });
    expect(report.problems, `seed ${report.seed}`).toEqual([]);
  },
  2 * deadlineMs,
);

it("[FEED-5] [FEED-7] connections cut between a commit and its answer double nothing", {
  tags: "long",
  timeout: 2 * deadlineMs,
}, async () => {
  const report = await runShuffled({
    where: "proxied",
    deadlineMs,
    faults: {
      cutAfterCommit: 1,
      cutAfterSend: 1,
      cutTransactionAfterCommit: 1,
      cutAnywhere: 1,
      cutEverything: 1,
    },
  });
  expect(report.problems, `seed ${report.seed}`).toEqual([]);
});
