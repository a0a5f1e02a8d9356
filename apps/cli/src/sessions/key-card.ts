import type { KeyCard } from "@merkle/wire";
import { certifySessionKey, fromBase64url } from "@merkle/wire/identity";
import { deriveSigningKey, makeKeyCard } from "@merkle/wire/keys";
import { listMembers } from "../home/members.js";
import type { KeyPair } from "../home/stored-peers.js";

/** The home and the mesh in which a key is used. The home's member in that mesh certifies the key. */
export interface KeyContext {
  readonly home: string;
  readonly meshId: string;
}

/**
 * Creates the key card for a peer's session key (SEALED-1). If this home is a member of the mesh, the
 * member's key certifies the card. Others can then recognise the peer even after a launch with a new session
 * key.
 */
export async function createCard(seed: Uint8Array, { home, meshId }: KeyContext): Promise<KeyCard> {
  const member = (await listMembers(home)).find((each) => each.mesh_id === meshId);
  const memberSeed = member && fromBase64url(member.seed, 32);
  if (!memberSeed) return makeKeyCard(seed);
  const memberKey = deriveSigningKey(memberSeed);
  const { publicKey: sessionKey } = deriveSigningKey(seed);
  const certified = certifySessionKey({ meshId, memberKey, sessionKey, label: member.name, now: new Date() });
  return makeKeyCard(seed, certified);
}

/** Returns the key card for a stored peer's key. Undefined if the key is incomplete. */
export async function toKeyCard(key: KeyPair, where: KeyContext): Promise<KeyCard | undefined> {
  const seed = toSeed(key);
  return seed && createCard(seed, where);
}

/** Returns the seed of a private key: the first half of its 64 bytes. */
export function toSeed({ private: privateKey }: KeyPair): Uint8Array | undefined {
  const bytes = Buffer.from(privateKey, "base64");
  return bytes.length === 64 ? Uint8Array.from(bytes.subarray(0, 32)) : undefined;
}
