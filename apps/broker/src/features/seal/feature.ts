import { listSeals } from "@merkle/db";
import type { Feature, StartParts } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import { createRecords, type Records } from "./records.js";
import { sealConclusion } from "./seal-conclusion.js";
import type { SealServices } from "./services.js";
import { sessionProof, sessionSeal } from "./session-proof.js";
import { toSeal } from "./sign-head.js";

export { rosterText, sessionAbout, stateLines } from "./about.js";
export { patiently } from "./records.js";
export type { SealServices } from "./services.js";
export { toHeadRow, toSignedHead } from "./sign-head.js";
export { subtreesOf } from "./tiles.js";

/** Seals session records: hashes, signed heads and proofs. */
export const sealFeature = {
  name: "seal",
  needs: [],
  handlers: {
    session_seal: sessionSeal,
    session_proof: sessionProof,
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
