import { listSessionsToSign } from "@merkle/db";
import type { Meshes, Services } from "../../transports/services.js";
import type { WitnessServices } from "./services.js";

/** The most sessions of a mesh that are signed in one round. The next round goes on with the others. */
const sessionsAtOnce = 200;
/** How far back a round looks for messages, so that a broker that was stopped goes on where it ended. */
const lookBackMs = 7 * 24 * 3_600_000;

/**
 * Returns a function that signs the record of each open session that has grown, and publishes a checkpoint, so that
 * witnesses see a session before it is concluded (WITNESS-7). Posts do not wait for it.
 */
export function createOpenSessionSigner(meshes: Meshes<WitnessServices & Services>): () => Promise<void> {
  return async () => {
    if (!meshes.main.nodes.isLeader) return;
    for (const services of await meshes.list()) {
      const { database, records, meshLog, log } = services;
      const since = new Date(Date.now() - lookBackMs);
      const { meshId } = database;
      for (const sessionId of await listSessionsToSign(database.orm, {
        meshId,
        since,
        most: sessionsAtOnce,
      })) {
        try {
          await records.findCurrentHead(sessionId);
        } catch (error) {
          log.warn("the record of a session could not be signed", { session: sessionId, error });
        }
      }
      await meshLog.readCheckpoint();
    }
  };
}
