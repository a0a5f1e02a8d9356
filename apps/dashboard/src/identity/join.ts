import type { OutputOf } from "@merkle/wire";
import { callHttp } from "./call-http";
import { storeBrowserMember } from "./member-key";
import { signInByKey } from "./sign-in";

export type InvitePreview = OutputOf<"preview_invite">;
export type RedeemResult = OutputOf<"redeem_invite">;

/**
 * Returns the preview of an invite, without redeeming the invite.
 *
 * @throws MerkleError not_found if the invite does not exist
 */
export async function previewInvite(invite: string): Promise<InvitePreview> {
  return (await callHttp("POST", "/api/invites/preview", { invite })) as InvitePreview; // The output type of this operation.
}

/**
 * Joins with a key generated in this browser, and signs in. Until that succeeds, the tab stores the key. If the answer
 * is lost, redeeming the invite again with the same key does not count as another use.
 *
 * @throws MerkleError forbidden if the invite is used up, expired or revoked
 */
export async function joinHere(preview: InvitePreview, invite: string, name: string): Promise<RedeemResult> {
  const [identity, { deriveSigningKey, proveJoin }] = await Promise.all([
    import("@merkle/wire/identity"),
    import("@merkle/wire/keys"),
  ]);
  const seed = identity.fromBase64url(findStoredSeed() ?? "", 32) ?? identity.drawSeed();
  const text = identity.toBase64url(seed);
  storeSeed(text);
  const memberKey = deriveSigningKey(seed);
  const proof = proveJoin({ brokerId: preview.broker_id, invite, name, memberKey });
  const result = (await callHttp("POST", "/api/invites/redeem", proof)) as RedeemResult; // The output type of this operation.
  const { broker_id, mesh_id, mesh, member_id } = result;
  const member = { broker_id, mesh_id, mesh, member_id, name: result.name, seed: text };
  storeBrowserMember(member);
  storeSeed(null);
  await signInByKey(member);
  return result;
}

const seedKey = "merkle.joining";

function findStoredSeed(): string | null {
  try {
    return sessionStorage.getItem(seedKey);
  } catch {
    return null;
  }
}

function storeSeed(seed: string | null): void {
  try {
    if (seed === null) sessionStorage.removeItem(seedKey);
    else sessionStorage.setItem(seedKey, seed);
  } catch {
    // If storage is unavailable, joining still works.
  }
}
