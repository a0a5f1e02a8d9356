import nacl from "tweetnacl";
import { toBase64url } from "./base64url.js";
import { signedBytes } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/** The statement that somebody signs to become a member by an invite: that the holder of this key accepts this invite of this broker. */
export interface JoinStatement {
  readonly broker_id: string;
  /** The invite as it is sent: a secret or a code. */
  readonly invite: string;
  readonly name: string;
  readonly public_key: string;
  readonly time: string;
}

/** The input of `redeem_invite`. */
export type JoinProof = Omit<JoinStatement, "broker_id"> & { readonly signature: string };

/** Proves that whoever redeems an invite holds the private half of the key that is to be the member (INVITE-6). */
export function proveJoin(wanted: {
  /** As the invite's preview named it. */
  readonly brokerId: string;
  readonly invite: string;
  readonly name: string;
  readonly memberKey: SigningKey;
  readonly now?: Date;
}): JoinProof {
  const { brokerId, invite, name, memberKey, now = new Date() } = wanted;
  // Trimmed as the broker will, or it would look at other bytes.
  const statement = {
    invite: invite.trim(),
    name: name.trim(),
    public_key: memberKey.publicKey,
    time: now.toISOString(),
  };
  return { ...statement, signature: memberKey.sign(joinBytes({ broker_id: brokerId, ...statement })) };
}

/** The invite is in it as a fingerprint, the first half of its SHA-512: a statement that is kept lets nobody in. */
export function joinBytes(statement: JoinStatement): Uint8Array {
  const fingerprint = nacl.hash(new TextEncoder().encode(statement.invite)).subarray(0, 32);
  return signedBytes("join", { ...statement, invite: toBase64url(fingerprint) });
}
