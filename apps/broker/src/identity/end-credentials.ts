import { type EndedCredentials, endTokens, hasAdmin, type Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { Write } from "../core/write.js";
import type { IdentityServices } from "./context.js";

/** What to end: one token, or all of a member's tokens. Includes the name of the person who ends them. */
type EndRequest = ({ readonly number: number } | { readonly memberId: string }) & { readonly by: string };

/**
 * Ends credentials and everything that was obtained with them. After the commit, closes the connections that
 * used them (TOKEN-4).
 *
 * @throws conflict if no admin would be left
 */
export async function endCredentials(
  { database: { meshId }, mesh, revocations }: IdentityServices,
  { tx, afterCommit }: Pick<Write, "tx" | "afterCommit">,
  ending: EndRequest,
): Promise<void> {
  const ended = await endInTransaction(tx, { meshId, ...ending });
  afterCommit(() => {
    cutOff({ revocations }, meshId, ended);
    mesh.announce("members", null);
  });
}

/**
 * Ends credentials in a transaction, without closing connections. After the commit, the caller must pass the
 * result to `cutOff`.
 */
export async function endInTransaction(
  tx: Transaction,
  { by, ...of }: EndRequest & { readonly meshId: string },
): Promise<EndedCredentials> {
  const ended = await endTokens(tx, of, by);
  if (ended.members.length > 0 && !(await hasAdmin(tx, of.meshId))) throw noAdminLeft();
  return ended;
}

export function cutOff(
  { revocations }: Pick<IdentityServices, "revocations">,
  meshId: string,
  { tokens, members }: EndedCredentials,
): void {
  for (const token of tokens) revocations.revoke({ meshId, token });
  for (const memberId of members) revocations.revoke({ meshId, memberId });
}

function noAdminLeft(): MerkleError {
  return new MerkleError(
    "conflict",
    "This would remove the last admin of the mesh, and no one could invite another. Invite another admin first.",
  );
}
