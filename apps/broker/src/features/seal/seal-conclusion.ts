import type { ConcludeHook } from "../../document/hooks.js";
import { sealSession, whileHashing } from "./records.js";
import type { SealServices } from "./services.js";

/** Seals a session as it is concluded (SES-9). Most of its record is hashed before, while nobody is kept waiting. */
export const sealConclusion: ConcludeHook<SealServices> = {
  prepare: async ({ records }, sessionId) => {
    await whileHashing(records.catchUp(sessionId));
  },
  conclude: (services, { tx }, { sessionId, at }) => sealSession(tx, services, { sessionId, at }),
};
