import { expect, it } from "vitest";
import { countRounds } from "../kit/exhaustive.js";
import { loseConnections } from "./lost-connections.js";
import { rowWriters } from "./row-writers.js";

/** A timeout that is long enough for the slowest machine. */
const deadlineMs = 20 * 60_000;

it.each([
  { how: "reset by the network", resets: countRounds(12), ends: 0 },
  { how: "ended by the server", resets: 0, ends: countRounds(12) },
])(
  "[DB-40] [FEED-7] connections to the database that are $how leave no row without its history, whatever is written",
  async ({ resets, ends }) => {
    const seed = Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000);
    const writers = Object.values(rowWriters);
    const report = await loseConnections({ writers, seed, resets, ends, deadlineMs });
    const { refused, torn } = report;
    expect({ refused, torn }, `seed ${seed}`).toEqual({ refused: [], torn: [] });
  },
  2 * deadlineMs,
);
