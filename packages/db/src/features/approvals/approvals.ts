import { and, asc, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { approvals, furtherSecrets, meshes, persons, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

export type ApprovalRow = typeof approvals.$inferSelect & {
  /** Slug of the session in which the approval was requested. */
  readonly session: string;
  /** True if the request is still waiting for an answer and its lease has not expired. */
  readonly live: boolean;
};

/** Identifies an approval request by its number within its mesh. */
export interface ApprovalKey {
  readonly meshId: string;
  readonly number: number;
}

/** A person, with the name of the device that one of the person's credentials belongs to. */
export interface DeviceOwner {
  readonly personId: string;
  readonly name: string;
  readonly memberId: string | null;
  readonly verified: boolean;
  readonly device: string;
}

/** Lists the people who have a credential with one of these device names. */
export async function findDeviceOwners(
  db: Queryable,
  meshId: string,
  devices: readonly string[],
): Promise<DeviceOwner[]> {
  const named = sql`IN (SELECT json_array_elements_text(${JSON.stringify(devices)}::text::json))`;
  const nameOf = (secretHash: SQL) => sql`left(encode(${secretHash}, 'hex'), 32)`;
  const columns = sql`p.person_id AS "personId", p.name, p.member_id AS "memberId",
    (p.member_id IS NOT NULL OR p.verified_at IS NOT NULL) AS verified`;
  const first = nameOf(sql`p.secret_hash`);
  const further = nameOf(sql`f.secret_hash`);
  const rows = await db.execute<Record<string, unknown> & DeviceOwner>(sql`
    SELECT ${columns}, ${first} AS device FROM ${persons} p WHERE p.mesh_id = ${meshId} AND ${first} ${named}
    UNION ALL
    SELECT ${columns}, ${further} FROM ${furtherSecrets} f
    JOIN ${persons} p ON p.mesh_id = f.scope_id AND p.person_id = f.id
    WHERE f.scope_id = ${meshId} AND ${further} ${named}`);
  return [...rows];
}

export type NewApproval = Omit<
  typeof approvals.$inferInsert,
  | "number"
  | "state"
  | "words"
  | "answers"
  | "own"
  | "again"
  | "allowedBy"
  | "askedAt"
  | "expiresAt"
  | "endedAt"
> & { readonly leaseSeconds: number };

/**
 * Inserts an approval request under the mesh's next number. Returns null if the same peer has already used
 * this salt.
 */
export async function insertApproval(
  tx: Transaction,
  { leaseSeconds, ...approval }: NewApproval,
): Promise<{ number: number; expiresAt: Date } | null> {
  const [counter] = await tx
    .update(meshes)
    .set({ lastApproval: sql`${meshes.lastApproval} + 1` })
    .where(eq(meshes.meshId, approval.meshId))
    .returning({ number: meshes.lastApproval });
  if (!counter) throw new TypeError("The mesh of the approval was not found.");
  const [row] = await tx
    .insert(approvals)
    .values({ ...approval, number: counter.number, expiresAt: selectLeaseEnd(leaseSeconds) })
    .onConflictDoNothing()
    .returning({ number: approvals.number, expiresAt: approvals.expiresAt });
  return row ?? null;
}

/** Counts a peer's approval requests that wait for an answer. */
export async function countWaitingApprovals(
  db: Queryable,
  { sessionId, peerId }: { readonly sessionId: string; readonly peerId: string },
): Promise<number> {
  return db.$count(approvals, and(eq(approvals.sessionId, sessionId), eq(approvals.peerId, peerId), isLive));
}

export async function findApproval(
  db: Queryable,
  { meshId, number }: ApprovalKey,
): Promise<ApprovalRow | null> {
  const [row] = await selectApprovals(db).where(
    and(eq(approvals.meshId, meshId), eq(approvals.number, number)),
  );
  return row ?? null;
}

/** Identifies a command of an agent's launch, and the person who can allow it again. */
export interface RepeatKey {
  readonly sessionId: string;
  readonly peerId: string;
  readonly personId: string;
  readonly repeatHash: string;
  readonly hours: number;
}

/**
 * Finds the approval that allows a command again, for `hours` after its answer. Locks it until the transaction ends, so
 * that nothing is allowed after a revocation has been confirmed.
 */
export async function lockRepeatedApproval(
  tx: Transaction,
  { sessionId, peerId, personId, repeatHash, hours }: RepeatKey,
): Promise<number | null> {
  const [row] = await tx
    .select({ number: approvals.number })
    .from(approvals)
    .where(
      and(
        eq(approvals.sessionId, sessionId),
        eq(approvals.peerId, peerId),
        eq(approvals.personId, personId),
        eq(approvals.repeatHash, repeatHash),
        isRepeated(hours),
      ),
    )
    .limit(1)
    .for("share");
  return row?.number ?? null;
}

/** Stops allowing a command again. Returns false if it was not allowed any more. */
export async function revokeRepeat(tx: Transaction, key: ApprovalKey, hours: number): Promise<boolean> {
  const revoked = await tx
    .update(approvals)
    .set({ again: false })
    .where(and(isApproval(key), isRepeated(hours)))
    .returning({ number: approvals.number });
  return revoked.length > 0;
}

/** Lists the approvals whose commands a person has allowed again from a device, newest first. */
export async function listRepeatedApprovals(
  db: Queryable,
  owner: DeviceKey,
  { hours, limit }: { readonly hours: number; readonly limit: number },
): Promise<ApprovalRow[]> {
  return selectApprovals(db)
    .where(and(isOwn(owner), isRepeated(hours)))
    .orderBy(desc(approvals.number))
    .limit(limit);
}

/** A device of a person. */
export interface DeviceKey {
  readonly meshId: string;
  readonly personId: string;
  readonly device: string;
}

/**
 * Lists the requests that a person may answer from a device. Returns either the waiting requests, oldest
 * first, or all others, newest first.
 */
export async function listApprovalRows(
  db: Queryable,
  owner: DeviceKey,
  { waiting, limit }: { readonly waiting: boolean; readonly limit: number },
): Promise<ApprovalRow[]> {
  return selectApprovals(db)
    .where(and(isOwn(owner), waiting ? isLive : sql`NOT (${isLive})`))
    .orderBy((waiting ? asc : desc)(approvals.number))
    .limit(limit);
}

/** Extends the lease of a waiting request. Does nothing if the request has ended or expired. */
export async function renewApproval(db: Queryable, key: ApprovalKey, leaseSeconds: number): Promise<void> {
  await db
    .update(approvals)
    .set({ expiresAt: selectLeaseEnd(leaseSeconds) })
    .where(and(isApproval(key), isLive));
}

/**
 * Ends a waiting request. Returns false if the request is no longer waiting. If several callers race, exactly
 * one succeeds.
 */
export async function endApproval(
  tx: Transaction,
  key: ApprovalKey,
  {
    state,
    words,
    answers,
    own,
    again,
    allowedBy,
  }: Pick<ApprovalRow, "state" | "words" | "answers" | "own" | "again" | "allowedBy">,
): Promise<boolean> {
  const ended = await tx
    .update(approvals)
    .set({ state, words, answers, own, again, allowedBy, endedAt: sql`now()` })
    .where(and(isApproval(key), isLive))
    .returning({ number: approvals.number });
  return ended.length > 0;
}

/** Deletes approval requests whose lease expired more than `days` days ago. */
export async function purgeApprovals(db: Queryable, days: number): Promise<number> {
  const { count } = await db
    .delete(approvals)
    .where(sql`${approvals.expiresAt} < now() - make_interval(days => ${days})`);
  return count;
}

const isLive = sql<boolean>`(${approvals.state} = 'waiting' AND ${approvals.expiresAt} > now())`;

function isApproval({ meshId, number }: ApprovalKey): SQL | undefined {
  return and(eq(approvals.meshId, meshId), eq(approvals.number, number));
}

/** Whether a command is allowed again. */
function isRepeated(hours: number): SQL {
  return sql`(${approvals.again} AND ${approvals.endedAt} > now() - make_interval(hours => ${hours}))`;
}

function isOwn({ meshId, personId, device }: DeviceKey): SQL | undefined {
  return and(
    eq(approvals.meshId, meshId),
    eq(approvals.personId, personId),
    sql`${device} = ANY (${approvals.devices})`,
  );
}

function selectLeaseEnd(seconds: number): SQL {
  return sql`now() + make_interval(secs => ${seconds})`;
}

function selectApprovals(db: Queryable) {
  const columns = { ...getTableColumns(approvals), session: sessions.slug, live: isLive };
  return db.select(columns).from(approvals).innerJoin(sessions, eq(sessions.sessionId, approvals.sessionId));
}
