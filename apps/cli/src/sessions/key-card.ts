import type { KeyCard } from "@merkle/wire";
import { certifySessionKey, fromBase64url, makeKeyCard, signingKeyFrom } from "@merkle/wire/identity";
import { listMembers } from "../home/members.js";
import type { KeyPair } from "../home/stored-peers.js";

/** Where a key is shown: a member of that mesh says of it that it is the member's. */
export interface ShownIn {
  readonly home: string;
  readonly meshId: string;
}

/**
 * The card of a place's session key (SEALED-1), certified by the member's key where this home has joined the mesh: then
 * others know the place by its member, whatever key its next launch makes.
 */
export async function makeCard(seed: Uint8Array, { home, meshId }: ShownIn): Promise<KeyCard> {
  const member = (await listMembers(home)).find((each) => each.mesh_id === meshId);
  const memberSeed = member && fromBase64url(member.seed, 32);
  if (!memberSeed) return makeKeyCard(seed);
  const memberKey = signingKeyFrom(memberSeed);
  const { publicKey: sessionKey } = signingKeyFrom(seed);
  const certified = certifySessionKey({ meshId, memberKey, sessionKey, label: member.name, now: new Date() });
  return makeKeyCard(seed, certified);
}

/** The card of a key that this machine keeps for a place; none for a key that is not whole. */
export async function keyCardOf(key: KeyPair, where: ShownIn): Promise<KeyCard | undefined> {
  const seed = seedOf(key);
  return seed && makeCard(seed, where);
}

/** A private key is kept as its 64 bytes, of which the first half is the seed. */
export function seedOf({ private: privateKey }: KeyPair): Uint8Array | undefined {
  const bytes = Buffer.from(privateKey, "base64");
  return bytes.length === 64 ? Uint8Array.from(bytes.subarray(0, 32)) : undefined;
}
