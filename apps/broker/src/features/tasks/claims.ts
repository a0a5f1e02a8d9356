import {
  type ClaimRow,
  deleteClaim,
  findSession,
  insertClaims,
  listClaimRows,
  lockSession,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { isFileScope, normaliseScope } from "@merkle/wire/text";
import type { SessionContext, TeamContext } from "../../sessions/context.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
import {
  announceClaim,
  describeClaims,
  refuseConflicts,
  toClaim,
  toClaimant,
  toConflictDetails,
} from "./claim.js";
import { releaseTask } from "./claim-task.js";
import type { TaskServices } from "./services.js";
import { isHuman } from "./task.js";

/**
 * Claims a scope for the calling peer, replacing the peer's own claim of that scope (CLAIM-2).
 *
 * @throws conflict, with other peers' overlapping claims, unless both claims are shared
 */
export async function claimScope(
  ctx: TeamContext<TaskServices>,
  { scope, shared, reason, ttl, ...named }: ParsedInputOf<"claim">,
): Promise<OutputOf<"claim">> {
  const { sessionId } = ctx.session;
  const repository = isFileScope(scope) ? (named.repository ?? null) : null;
  return ctx.write(async (write) => {
    await lockSession(write.tx, sessionId);
    const claim = { scopes: [scope], repository, shared };
    await refuseConflicts(ctx, write.tx, claim, (conflicts) => alreadyClaimed(ctx, scope, conflicts));
    const more = { reason: reason ?? null, seconds: ttl ?? null };
    const [row] = await insertClaims(write.tx, { ...toClaimant(ctx), ...claim, ...more });
    if (!row) throw new TypeError("A claim was not stored.");
    await announceClaim(ctx, write, row, { change: "claimed", reason });
    return toClaim(row, ctx);
  });
}

function alreadyClaimed(
  ctx: TeamContext<TaskServices>,
  scope: string,
  conflicts: readonly ClaimRow[],
): MerkleError {
  return new MerkleError(
    "conflict",
    `${scope} cannot be claimed: ${describeClaims(conflicts)}. Ask the holder for it, or do something else first.`,
    toConflictDetails(ctx, conflicts),
  );
}

/**
 * Releases a claim of the calling peer, on a scope or a task. A human can release anyone's claim by its
 * number (CLAIM-3).
 */
export async function releaseClaim(
  ctx: TeamContext<TaskServices>,
  input: ParsedInputOf<"release">,
): Promise<OutputOf<"release">> {
  const { task, scope, reason } = input;
  if (task !== undefined) {
    const { task: number, title } = await releaseTask(ctx, { ...input, task, fence: undefined });
    return { released: `task ${number} ${title}` };
  }
  const { sessionId } = ctx.session;
  return ctx.write(async (write) => {
    const rows = await listClaimRows(write.tx, sessionId);
    const isOwn = (row: ClaimRow) => row.peerId === ctx.team.peer.peerId;
    const claim = rows.find((row) =>
      scope === undefined ? row.number === input.claim : normaliseScope(row.scope) === scope && isOwn(row),
    );
    if (!claim) throw notClaimed(input);
    if (!isOwn(claim) && !isHuman(ctx)) throw notYours(claim);
    const row = await deleteClaim(write.tx, claim);
    if (!row) throw notClaimed(input);
    const isOthers = !isOwn(row);
    await announceClaim(
      ctx,
      write,
      row,
      { change: "released", reason, ...(isOthers && { holder: row.holder }) },
      // Other peers see the release when they list claims.
      isOthers ? [row.peerId] : [],
    );
    return { released: row.scope };
  });
}

function notClaimed({ scope, claim }: ParsedInputOf<"release">): MerkleError {
  const message = scope === undefined ? `There is no claim ${claim}.` : `You have no claim on ${scope}.`;
  return new MerkleError("not_found", message, { next: "list_claims" });
}

function notYours({ number, holder, claimedAt }: ClaimRow): MerkleError {
  return new MerkleError(
    "conflict",
    `Claim ${number} is not yours: ${holder} has held it since ${claimedAt.toISOString()}.`,
    { claim: number, holder },
  );
}

/** Lists a session's claims, and the session's rule for hooks that guard edits. */
export async function listClaims(ctx: SessionContext<TaskServices>): Promise<OutputOf<"list_claims">> {
  const { orm, meshId } = ctx.services.database;
  const { sessionId } = ctx.session;
  const [rows, session] = await Promise.all([
    listClaimRows(orm, sessionId),
    findSession(orm, meshId, sessionId),
  ]);
  return { claims: rows.map((row) => toClaim(row, ctx)), edits: toSessionSettings(session?.settings).claims };
}
