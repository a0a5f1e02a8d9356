import {
  type ClaimRow,
  deleteClaim,
  drawClaimNumber,
  findSession,
  insertClaim,
  listClaimRows,
} from "@merkle/db";
import {
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
  type ScopeClaim,
  type SystemEvent,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { isFileScope, normaliseScope, scopesOverlap } from "@merkle/wire/text";
import type { Write } from "../../core/write.js";
import type { SessionContext, TeamContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import { toSessionSettings } from "../../sessions/session-settings.js";
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
  const { peerId } = ctx.team.peer;
  const repository = isFileScope(scope) ? (named.repository ?? null) : null;
  return ctx.write(async (write) => {
    const number = await drawClaimNumber(write.tx, sessionId);
    const others = (await listClaimRows(write.tx, sessionId)).filter((each) => each.peerId !== peerId);
    const conflicting = others.filter(
      (each) =>
        !(shared && each.shared) &&
        mayBeSameRepository(repository, each.repository) &&
        scopesOverlap(scope, each.scope),
    );
    if (conflicting.length > 0) throw alreadyClaimed(ctx, scope, conflicting);
    if (others.length >= limits.claimsPerSessionMax) throw tooMany();
    const row = await insertClaim(write.tx, {
      ...{ sessionId, number, scope, repository, shared, peerId },
      reason: reason ?? null,
      holder: formatAuthorName(ctx.team),
      seconds: ttl ?? null,
    });
    await announceClaim(ctx, write, row, { change: "claimed", reason });
    return toClaim(row, ctx);
  });
}

/**
 * Returns whether two scopes may be in the same repository. A scope that names no repository may be in
 * any repository (CLAIM-7).
 */
function mayBeSameRepository(a: string | null, b: string | null): boolean {
  return a === null || b === null || a === b;
}

function alreadyClaimed(
  ctx: TeamContext<TaskServices>,
  scope: string,
  rows: readonly ClaimRow[],
): MerkleError {
  const holders = rows
    .slice(0, 5)
    .map(
      (row) =>
        `${row.holder} has held ${row.scope} since ${row.claimedAt.toISOString()}${row.reason === null ? "" : ` (${row.reason})`}`,
    );
  return new MerkleError(
    "conflict",
    `${scope} cannot be claimed: ${holders.join("; ")}. Ask the holder for it, or do something else first.`,
    { claims: rows.map((row) => toClaim(row, ctx)), next: "send_message" },
  );
}

function tooMany(): MerkleError {
  const max = limits.claimsPerSessionMax;
  return new MerkleError(
    "conflict",
    `A session can have at most ${max} claims. Release some, or claim a folder instead of its files.`,
    {
      claims_max: max,
    },
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
    await announceClaim(ctx, write, row, {
      change: "released",
      reason,
      ...(!isOwn(row) && { holder: row.holder }),
    });
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

function toClaim(row: ClaimRow, { team }: Pick<SessionContext<TaskServices>, "team">): ScopeClaim {
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

type ClaimEvent = Extract<SystemEvent, { event: "claim_changed" }>;
type ClaimChange = Pick<ClaimEvent, "change" | "holder" | "reason">;

async function announceClaim(
  { services, session, team }: TeamContext<TaskServices>,
  { announce, afterCommit }: Write,
  row: ClaimRow,
  claimChange: ClaimChange,
): Promise<void> {
  const isOthers = row.peerId !== team.peer.peerId;
  const { sequence } = await announce(
    session.sessionId,
    toClaimEvent(row, formatAuthorName(team), claimChange),
    {
      causedBy: team.peer.peerId,
      // Other peers see the release when they list claims. A holder is notified only if someone else released the
      // holder's claim.
      reaches: isOthers ? [row.peerId] : [],
    },
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
