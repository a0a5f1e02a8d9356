import { expect, it, onTestFinished } from "vitest";
import { natsProgram } from "../../kit/nats-server.js";
import { runCampaign } from "./run-campaign.js";

const deadlineMs = 120_000;

/** The campaign in brief; `npm run test:nodes -- campaign` does the same at length. */
it.runIf(natsProgram)(
  "[NODE-3] [NODE-7] [NODE-9] kills and cuts of nodes, their bus and their database lose, repeat and reorder nothing",
  async () => {
    const report = await runCampaign(
      {
        ...{ bus: "nats", posters: 4, waits: 4, sockets: 3, deadlineMs },
        seed: Number(process.env["FAULTS_SEED"] ?? Date.now() % 1_000_000),
        faults: { killNode: 1, killBus: 1, cutDatabase: 1, cutBus: 1, cutClients: 1 },
      },
      onTestFinished,
    );
    expect(report.problems, `seed ${report.seed}`).toEqual([]);
  },
  2 * deadlineMs,
);
