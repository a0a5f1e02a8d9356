import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { counted, toDuration } from "../duration.js";

export const status: Command = {
  name: "status",
  summary: "say whether a broker runs, and what it holds",
  examples: ["merkle status", "merkle status --json", "merkle status --url https://mesh.example.com"],
  async run({ config, output, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { describeWriteProblem, readHealth } = await import("../broker/broker-facts.js");
    const { readMeshFacts } = await import("../mesh-facts.js");
    const { readingFrom } = await import("../identity/acting.js");
    const broker = await findBroker(config, signal);
    const health = await readHealth(broker);
    const known = { running: true, url: broker.base, ...health };
    const up = `broker up ${toDuration(health.uptime_s)}`;
    if (!health.ready || !health.durable) {
      const trouble = health.ready ? describeWriteProblem(health) : "it is stopping";
      output.show(known, `${output.mark.warn} ${up} at ${broker.base}, but ${trouble}`);
      return exitCodes.unexpected;
    }
    const facts = await readingFrom({ broker, config })
      .then((reader) => readMeshFacts(broker, reader))
      .catch(nothingForStrangers);
    if (!facts) {
      output.show({ ...known, joined: false }, `${up}, and lets members in alone: merkle join -`);
      return exitCodes.done;
    }
    const { needs_you: needs } = facts;
    const waiting = needs === 0 ? "" : `, ${needs} ${needs === 1 ? "needs" : "need"} you`;
    output.show(
      { ...known, ...facts },
      `${up}, ${counted(facts.peers_polling, "peer")} polling, ${counted(facts.open_sessions, "open session")}${waiting}`,
    );
    return exitCodes.done;
  },
};

/** That a broker runs is told to everybody; what it holds, to its members. */
function nothingForStrangers(error: unknown): null {
  if (
    error instanceof Error &&
    error.name === "MerkleError" &&
    "code" in error &&
    error.code === "unauthorized"
  )
    return null;
  throw error;
}
