import { expect, inject, it, onTestFinished } from "vitest";
import { runCampaign } from "./run-campaign.js";

const deadlineMs = 90 * 60_000;

it(
  "three hundred kills, freezes and cuts of nodes, their bus and their database lose, repeat and reorder nothing",
  async () => {
    const report = await runCampaign(
      {
        ...{ bus: inject("bus") ?? "postgres", posters: 20, waits: 10, sockets: 10, deadlineMs },
        seed: Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000),
        faults: {
          ...{ killNode: 45, stopNode: 20, freezeNode: 40, freezeNodeLong: 3 },
          ...{ killBus: 35, freezeBus: 25, killBackend: 20, killPostmaster: 12 },
          ...{ cutDatabase: 35, cutBus: 35, cutClients: 40 },
        },
      },
      onTestFinished,
    );
    console.info(JSON.stringify(report, null, 2));
    expect(report.problems, `seed ${report.seed}`).toEqual([]);
  },
  2 * deadlineMs,
);
