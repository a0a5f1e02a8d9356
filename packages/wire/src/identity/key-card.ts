import * as z from "zod";
import { Bytes32, Bytes64, SessionCertificate } from "./hello-proof.js";

/**
 * The keys with which others send private messages to a peer (SEALED-1). The peer's session key signs its box
 * key. If a member's key has certified the session key, others can verify that both keys belong to the
 * member.
 */
export const KeyCard = z.strictObject({
  session_key: Bytes32,
  box_key: Bytes32,
  box_key_signature: Bytes64,
  member: z.strictObject({ certificate: SessionCertificate, certificate_signature: Bytes64 }).optional(),
});
export type KeyCard = z.output<typeof KeyCard>;
