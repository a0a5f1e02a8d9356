import * as z from "zod";
import { Bytes32, Bytes64, SessionCertificate } from "./hello-proof.js";

/**
 * The keys that a peer is written to with in private (SEALED-1). Its session key signs its box key; where a member's key
 * certified the session key, others can see that both are the member's.
 */
export const KeyCard = z.strictObject({
  session_key: Bytes32,
  box_key: Bytes32,
  box_key_signature: Bytes64,
  member: z.strictObject({ certificate: SessionCertificate, certificate_signature: Bytes64 }).optional(),
});
export type KeyCard = z.output<typeof KeyCard>;
