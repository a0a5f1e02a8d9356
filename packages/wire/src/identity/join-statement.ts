import nacl from "tweetnacl";
import { toBase64url } from "./base64url.js";
import { signedBytes } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/** The statement signed in order to become a member: the holder of this key accepts this broker's invite. */
export interface JoinStatement {
  readonly broker_id: string;
  /** The invite as sent: a secret or a code. */
  readonly invite: string;
  readonly name: string;
  readonly public_key: string;
  readonly time: string;
}

/** The input of `redeem_invite`. */
export type JoinProof = Omit<JoinStatement, "broker_id"> & { readonly signature: string };

/** Proves that the caller has the private part of the key that is to become the member (INVITE-6). */
export function proveJoin(wanted: {
  /** As named in the invite's preview. */
  readonly brokerId: string;
  readonly invite: string;
  readonly name: string;
  readonly memberKey: SigningKey;
  readonly now?: Date;
}): JoinProof {
  const { brokerId, invite, name, memberKey, now = new Date() } = wanted;
  // Trims as the broker does, because otherwise it would verify different bytes.
  const statement = {
    invite: invite.trim(),
    name: name.trim(),
    public_key: memberKey.publicKey,
    time: now.toISOString(),
  };
  return { ...statement, signature: memberKey.sign(joinBytes({ broker_id: brokerId, ...statement })) };
}

/**
 * Returns the bytes to sign. The invite appears only as a fingerprint (the first half of its SHA-512), so a
 * stored statement cannot be used to join.
 */
export function joinBytes(statement: JoinStatement): Uint8Array {
  const fingerprint = nacl.hash(new TextEncoder().encode(statement.invite)).subarray(0, 32);
  return signedBytes("join", { ...statement, invite: toBase64url(fingerprint) });
}
