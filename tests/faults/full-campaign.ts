import { expect, it } from "vitest";
import { startTestBroker } from "../kit/test-broker.js";
import { runCutReaders } from "./cut-readers.js";
import { loseConnections } from "./lost-connections.js";
import { rowWriters } from "./row-writers.js";
import { runShuffled } from "./run-shuffled.js";

const deadlineMs = 20 * 60_000;

it(
  "[FEED-2] [FEED-4] [FEED-15] [DB-3] [DB-4] twenty kills each of broker and PostgreSQL, and five held feeds, lose, repeat and reorder nothing",
  async () => {
    const report = await runShuffled({
      where: "embedded",
      deadlineMs,
      faults: {
        restartBroker: 3,
        ...{ killBroker: 12, killBrokerTwice: 4, killBrokerAndPostgres: 4 },
        ...{ killPostgres: 14, killBackend: 6 },
        ...{ holdBriefly: 1, holdWithAppend: 2, holdLong: 1, holdAndKill: 1 },
      },
    });
    console.info(JSON.stringify(report, null, 2));
    expect(report.problems, `seed ${report.seed}`).toEqual([]);
  },
  2 * deadlineMs,
);

it(
  "[FEED-5] [FEED-7] twenty connections cut between a commit and its answer, and more elsewhere, double nothing",
  async () => {
    const report = await runShuffled({
      where: "proxied",
      deadlineMs,
      faults: {
        ...{ cutAfterCommit: 12, cutAfterSend: 4, cutTransactionAfterCommit: 4 },
        ...{ cutAnywhere: 10, cutEverything: 4 },
        ...{ killBroker: 2, holdLong: 1 },
      },
    });
    console.info(JSON.stringify(report, null, 2));
    expect(report.problems, `seed ${report.seed}`).toEqual([]);
  },
  2 * deadlineMs,
);

it(
  "[CURSOR-6] [DELIVER-9] 1,200 replies cut at any byte lose nothing that was not offered again, and nothing counts as delivered that was not read",
  async () => {
    const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000);
    const report = await runCutReaders(await startTestBroker(), { cuts: 1_200, seed });
    console.info(JSON.stringify(report, null, 2));
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.deliveredMin).toBeGreaterThan(0);
  },
  2 * deadlineMs,
);

it(
  "[DB-40] [FEED-7] 135 connections to the database that are reset, and 60 that the server ends, leave no row without its history, whatever is written",
  async () => {
    const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000);
    const writers = Object.values(rowWriters);
    const report = await loseConnections({
      ...{ seed, resets: 135, ends: 60, deadlineMs },
      writers: [...writers, ...writers],
    });
    console.info(JSON.stringify(report, null, 2));
    const { refused, torn } = report;
    expect({ refused, torn }, `seed ${seed}`).toEqual({ refused: [], torn: [] });
  },
  2 * deadlineMs,
);
