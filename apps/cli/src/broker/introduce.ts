import { hostname } from "node:os";
import { MerkleError } from "@merkle/wire";
import type { Introduction } from "@merkle/wire/client";
import { answerHello, drawSeed, fromBase64url } from "@merkle/wire/identity";
import { CliError } from "../core/cli-error.js";
import { getSystemUserName } from "../core/system-user.js";
import { chooseMember, listMembers, type StoredMember, saveMember } from "../home/members.js";
import type { Reach } from "./reach.js";
import { requireKnown } from "./trust.js";

/**
 * Returns how a connection authenticates to a broker (CLI-61): with the token in `MERKLE_TOKEN`, or else with
 * a member's key from this home. Without a token or key, an open broker receives only the mesh's name, and
 * connecting to an invite-only broker fails.
 */
export function introduce(base: string, reach: Reach | undefined): Introduction {
  if (!reach) return {};
  const { mesh, token } = reach;
  return {
    mesh,
    async answerHello(hello) {
      if (token) return { kind: "bearer", token };
      const member = await findMember(base, reach, hello.broker_id);
      if (!member && hello.auth === "open") return undefined;
      if (!member) throw notJoined(base);
      return answerHello(hello, await toSigner(member, base));
    },
  };
}

/**
 * Returns this home's membership at a broker. The address takes precedence: the server there must be the
 * broker that was joined there, regardless of the id that it claims. A membership from another address counts
 * only if that broker is also known at this address.
 */
export async function findMember(base: string, reach: Reach, brokerId: string): Promise<StoredMember | null> {
  const { home, mesh } = reach;
  try {
    const members = await listMembers(home);
    const memberByUrl = chooseMember(members, { broker: { url: base }, mesh });
    const member = memberByUrl ?? chooseMember(members, { broker: { id: brokerId }, mesh });
    if (!member || memberByUrl) return member;
    await requireKnown(member, { base, source: "default", reach, home });
    const moved = { ...member, urls: [...member.urls, base] };
    await saveMember(home, moved);
    return moved;
  } catch (error) {
    // This error code makes the client stop, because retrying would not help.
    if (error instanceof CliError)
      throw new MerkleError("unauthorized", [error.message, ...error.next].join(" "));
    throw error;
  }
}

/**
 * Returns the error for a caller without a membership. The error makes the client stop instead of retrying.
 */
export function notJoined(base: string): MerkleError {
  return new MerkleError(
    "unauthorized",
    `The broker at ${base} admits only members, and this machine has not joined a mesh there. Ask for an invite, then run: merkle join -`,
  );
}

async function toSigner(member: StoredMember, url: string) {
  // Most commands send a token, so they need no keys.
  const { deriveSigningKey } = await import("@merkle/wire/keys");
  const seed = fromBase64url(member.seed, 32);
  if (!seed) throw new MerkleError("unauthorized", `The key of ${member.name} in this home is damaged.`);
  return {
    brokerId: member.broker_id,
    meshId: member.mesh_id,
    memberKey: deriveSigningKey(seed),
    sessionKey: deriveSigningKey(drawSeed()),
    label: `${getSystemUserName()}@${hostname()}`.slice(0, 200),
    session: null,
    url,
  };
}
