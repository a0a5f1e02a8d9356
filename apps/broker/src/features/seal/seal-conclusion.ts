import type { ConcludeHook } from "../../document/hooks.js";
import { sealSession, waitForHashing } from "./records.js";
import type { SealServices } from "./services.js";

/**
 * Seals a session when it is concluded (SES-9). Most of the record is hashed beforehand, without holding
 * locks.
 */
export const sealConclusion: ConcludeHook<SealServices> = {
  prepare: async ({ records }, sessionId) => {
    await waitForHashing(records.catchUp(sessionId));
  },
  conclude: (services, { tx }, { sessionId, at }) => sealSession(tx, services, { sessionId, at }),
};
