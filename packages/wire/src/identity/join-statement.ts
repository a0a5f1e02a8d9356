import nacl from "tweetnacl";
import { toBase64url } from "./base64url.js";
import { encodeForSigning } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/**
 * The statement that is signed in order to become a member. It says that the key's holder accepts this
 * broker's invite.
 */
export interface JoinStatement {
  readonly broker_id: string;
  /** The invite as it was sent: a secret or a code. */
  readonly invite: string;
  readonly name: string;
  readonly public_key: string;
  readonly time: string;
}

/** The fields of `redeem_invite` that prove a join. */
export type JoinProof = Omit<JoinStatement, "broker_id"> & { readonly signature: string };

/** Signs a statement that proves possession of the new member's private key (INVITE-6). */
export function proveJoin(options: {
  /** Id of the broker, as given in the preview of the invite. */
  readonly brokerId: string;
  readonly invite: string;
  readonly name: string;
  readonly memberKey: SigningKey;
  readonly now?: Date;
}): JoinProof {
  const { brokerId, invite, name, memberKey, now = new Date() } = options;
  // Trims the strings in the same way as the broker, which would otherwise verify different bytes.
  const statement = {
    invite: invite.trim(),
    name: name.trim(),
    public_key: memberKey.publicKey,
    time: now.toISOString(),
  };
  return { ...statement, signature: memberKey.sign(encodeJoin({ broker_id: brokerId, ...statement })) };
}

/**
 * Returns the bytes to sign. They contain only a fingerprint of the invite (the first half of its SHA-512),
 * so no one can use a stored statement to join.
 */
export function encodeJoin(statement: JoinStatement): Uint8Array {
  const fingerprint = nacl.hash(new TextEncoder().encode(statement.invite)).subarray(0, 32);
  return encodeForSigning("join", { ...statement, invite: toBase64url(fingerprint) });
}
