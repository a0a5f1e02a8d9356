import { retirePeers as retireUnseen } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { SessionServices } from "../context.js";
import { announceRoster } from "./announce-roster.js";

/**
 * Retires named peers that have not been seen for `peerRetiredAfterDays`, so that their names become free
 * again (PEER-10).
 */
export async function retirePeers(
  services: Pick<SessionServices, "database" | "presence" | "channels" | "nodes"> & {
    readonly invalidateCredential: (sessionId: string, id: string) => void;
  },
): Promise<void> {
  const { database, presence, nodes, invalidateCredential } = services;
  const retired = await retireUnseen(
    database.orm,
    limits.peerRetiredAfterDays,
    presence.listPresentIds(),
    nodes.others,
  );
  for (const { sessionId, peerId } of retired) {
    invalidateCredential(sessionId, peerId);
    announceRoster(services, sessionId);
  }
}
