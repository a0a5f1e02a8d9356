import { type ClaimRow, listClaimRows, type NewClaims, type Transaction } from "@merkle/db";
import { MerkleError, type ScopeClaim, type SystemEvent } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { isFileScope, scopesOverlap } from "@merkle/wire/text";
import type { Write } from "../../core/write.js";
import type { SessionContext, TeamContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import type { TaskServices } from "./services.js";

/** Converts a claim to its public form. */
export function toClaim(row: ClaimRow, { team }: Pick<SessionContext<TaskServices>, "team">): ScopeClaim {
  return {
    claim: row.number,
    scope: row.scope,
    read_as: isFileScope(row.scope) ? "files" : "name",
    repository: row.repository,
    shared: row.shared,
    holder: row.holder,
    mine: team !== null && row.peerId === team.peer.peerId,
    reason: row.reason,
    claimed_at: row.claimedAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
  };
}

type NewScopes = Pick<NewClaims, "scopes" | "repository" | "shared">;

/**
 * Decides whether the calling peer can claim these scopes. The caller must hold the lock on the session, so that
 * overlapping claims cannot race.
 *
 * @throws conflict if another peer's claim overlaps, made by `toError`, or if the session has too many claims
 */
export async function refuseConflicts(
  ctx: TeamContext<TaskServices>,
  tx: Transaction,
  claim: NewScopes,
  toError: (conflicts: readonly ClaimRow[]) => MerkleError,
): Promise<void> {
  const others = await listOthersClaims(ctx, tx);
  const conflicts = findConflicts(claim, others);
  if (conflicts.length > 0) throw toError(conflicts);
  if (others.length + claim.scopes.length > limits.claimsPerSessionMax) throw tooMany();
}

/** Lists the active claims of other peers. */
export async function listOthersClaims(
  { session, team }: TeamContext<TaskServices>,
  tx: Transaction,
): Promise<ClaimRow[]> {
  const rows = await listClaimRows(tx, session.sessionId);
  return rows.filter(({ peerId }) => peerId !== team.peer.peerId);
}

/** Returns the claims that prevent a claim on any of these scopes (CLAIM-2). */
export function findConflicts(
  { scopes, repository, shared }: NewScopes,
  others: readonly ClaimRow[],
): readonly ClaimRow[] {
  return others.filter(
    (each) =>
      !(shared && each.shared) &&
      mayBeSameRepository(repository, each.repository) &&
      scopes.some((scope) => scopesOverlap(scope, each.scope)),
  );
}

/**
 * Returns whether two scopes may be in the same repository. A scope that names no repository may be in
 * any repository (CLAIM-7).
 */
function mayBeSameRepository(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

/** Describes the first claims, for example `Birch has held repo:src/** since … (task 3)`. */
export function describeClaims(rows: readonly ClaimRow[]): string {
  return rows
    .slice(0, 5)
    .map(
      (row) =>
        `${row.holder} has held ${row.scope} since ${row.claimedAt.toISOString()}${row.reason === null ? "" : ` (${row.reason})`}`,
    )
    .join("; ");
}

export function toConflictDetails(ctx: TeamContext<TaskServices>, rows: readonly ClaimRow[]) {
  return { claims: rows.map((row) => toClaim(row, ctx)), next: "send_message" };
}

/** Returns the caller in the form stored with a claim. */
export function toClaimant({ session, team }: TeamContext<TaskServices>) {
  return { sessionId: session.sessionId, peerId: team.peer.peerId, holder: formatAuthorName(team) };
}

function tooMany(): MerkleError {
  const max = limits.claimsPerSessionMax;
  return new MerkleError(
    "conflict",
    `A session can have at most ${max} claims. Release some, or claim a folder instead of its files.`,
    { claims_max: max },
  );
}

type ClaimEvent = Extract<SystemEvent, { event: "claim_changed" }>;
type ClaimChange = Pick<ClaimEvent, "change" | "holder" | "reason">;

/** Posts the event for a change to a claim. Only the given peers get it as a message. */
export async function announceClaim(
  { services, session, team }: TeamContext<TaskServices>,
  { announce, afterCommit }: Write,
  row: ClaimRow,
  claimChange: ClaimChange,
  reaches: readonly string[] = [],
): Promise<void> {
  const { sequence } = await announce(
    session.sessionId,
    toClaimEvent(row, formatAuthorName(team), claimChange),
    { causedBy: team.peer.peerId, reaches },
  );
  afterCommit(() => services.channels.announceChange(session.sessionId, "tasks", sequence));
}

export function toClaimEvent(row: ClaimRow, by: string, claimChange: ClaimChange): ClaimEvent {
  const { number: claim, scope, shared, claimedAt, expiresAt } = row;
  const { change, holder, reason } = claimChange;
  return {
    event: "claim_changed",
    ...{ claim, scope, shared, change, by },
    ...(holder !== undefined && { holder }),
    ...(reason !== undefined && { reason }),
    ...(change === "claimed" && expiresAt !== null && { expires_at: expiresAt.toISOString() }),
    at: (change === "claimed" ? claimedAt : new Date()).toISOString(),
  };
}
