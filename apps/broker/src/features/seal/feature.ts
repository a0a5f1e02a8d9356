import { listSeals } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { createRecords, type Records } from "./records.js";
import { sealConclusion } from "./seal-conclusion.js";
import type { SealServices } from "./services.js";
import { getSessionProof, getSessionSeal } from "./session-proof.js";
import { toSeal } from "./sign-head.js";

export { readRosterText, readStateLines, toSessionAbout } from "./about.js";
export { waitWithTimeout } from "./records.js";
export type { SealServices } from "./services.js";
export { toHeadRow, toSignedHead } from "./sign-head.js";
export { createSubtreeReader } from "./tiles.js";

/** Seals session records: hashes, signed heads and proofs. */
export const sealFeature = {
  name: "seal",
  needs: [],
  handlers: {
    session_seal: getSessionSeal,
    session_proof: getSessionProof,
  },
  sessionFacts: {
    async seal({ database }, sessionId) {
      const [seal] = await listSeals(database.orm, sessionId, 1);
      return seal ? toSeal(seal) : null;
    },
  },
  onConclude: sealConclusion,
  start: ({ database, workers, signer }: StartParts): { records: Records } => ({
    records: createRecords({ database, workers, signer }),
  }),
} satisfies Feature<SealServices & Services>;
