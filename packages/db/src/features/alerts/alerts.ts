import { and, asc, count, eq, inArray, isNull, lte, notInArray, or, sql } from "drizzle-orm";
import { alerts, alertTargets, members, persons } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** A destination to which a person's alerts are sent. */
export interface AlertTargetRow {
  readonly targetId: string;
  readonly meshId: string;
  readonly personId: string;
  readonly kind: "push" | "webhook" | "ntfy" | "slack" | "discord";
  readonly name: string;
  /** The encrypted address of the destination, with its secrets. */
  readonly sealed: Uint8Array;
  readonly about: readonly string[];
  readonly quiet: { readonly from: string; readonly to: string; readonly time_zone: string } | null;
  readonly createdAt: Date;
  readonly changedAt: Date;
  readonly lastSentAt: Date | null;
  readonly problem: string | null;
  readonly endedAt: Date | null;
}

/** Lists the active alert targets in all meshes. Excludes targets of revoked members. */
export async function listLiveAlertTargets(db: Queryable): Promise<AlertTargetRow[]> {
  const rows = await db
    .select({ target: alertTargets })
    .from(alertTargets)
    .innerJoin(
      persons,
      and(eq(persons.meshId, alertTargets.meshId), eq(persons.personId, alertTargets.personId)),
    )
    .leftJoin(members, and(eq(members.meshId, persons.meshId), eq(members.memberId, persons.memberId)))
    .where(and(isNull(alertTargets.endedAt), isNull(members.revokedAt)))
    .orderBy(asc(alertTargets.targetId));
  return rows.map(({ target }) => target);
}

/** A target, with the number of alerts that are waiting and the number that were given up. */
export interface AlertTargetFacts extends AlertTargetRow {
  readonly waiting: number;
  readonly givenUp: number;
}

export interface TargetKey {
  readonly meshId: string;
  readonly targetId: string;
}

export interface PersonKey {
  readonly meshId: string;
  readonly personId: string;
}

/** Lists a person's targets, oldest first. If `targetId` is given, lists only that target. */
export async function listAlertTargets(
  db: Queryable,
  { meshId, personId }: PersonKey,
  targetId?: string,
): Promise<AlertTargetFacts[]> {
  const rows = await db
    .select({
      target: alertTargets,
      waiting: count(sql`CASE ${alerts.state} WHEN 'waiting' THEN 1 END`),
      givenUp: count(sql`CASE ${alerts.state} WHEN 'given_up' THEN 1 END`),
    })
    .from(alertTargets)
    .leftJoin(alerts, and(eq(alerts.meshId, alertTargets.meshId), eq(alerts.targetId, alertTargets.targetId)))
    .where(
      and(
        eq(alertTargets.meshId, meshId),
        eq(alertTargets.personId, personId),
        targetId === undefined ? undefined : eq(alertTargets.targetId, targetId),
      ),
    )
    .groupBy(alertTargets.meshId, alertTargets.targetId)
    .orderBy(asc(alertTargets.createdAt), asc(alertTargets.targetId));
  return rows.map(({ target, ...counts }) => ({ ...target, ...counts }));
}

/** Stores a target. If the target already exists, replaces it and makes it active again. */
export async function saveAlertTarget(
  tx: Transaction,
  row: Omit<AlertTargetRow, "lastSentAt" | "problem" | "endedAt">,
): Promise<void> {
  const { kind, name, sealed, quiet, changedAt } = row;
  const about = [...row.about];
  await tx
    .insert(alertTargets)
    .values({ ...row, about })
    .onConflictDoUpdate({
      target: [alertTargets.meshId, alertTargets.targetId],
      set: { kind, name, sealed, about, quiet, changedAt, problem: null, endedAt: null },
    });
}

export async function deleteAlertTarget(
  tx: Transaction,
  { meshId, personId }: PersonKey,
  targetId: string,
): Promise<boolean> {
  const rows = await tx
    .delete(alertTargets)
    .where(
      and(
        eq(alertTargets.targetId, targetId),
        eq(alertTargets.meshId, meshId),
        eq(alertTargets.personId, personId),
      ),
    )
    .returning({ targetId: alertTargets.targetId });
  return rows.length > 0;
}

/** Records the result of a delivery to a target. `problem` is null if it succeeded. */
export async function saveAlertOutcome(
  db: Queryable,
  { meshId, targetId }: TargetKey,
  outcome: { readonly at: Date; readonly problem: string | null; readonly isGone: boolean },
): Promise<void> {
  const { at, problem, isGone } = outcome;
  await db
    .update(alertTargets)
    .set({ problem, ...(problem === null && { lastSentAt: at }), ...(isGone && { endedAt: at }) })
    .where(and(eq(alertTargets.meshId, meshId), eq(alertTargets.targetId, targetId)));
}

/**
 * Updates a target's alerts to match the current items. Deletes alerts for items that no longer exist, and
 * waiting alerts for items not in `tell`. Adds alerts for new items in `tell`, with the given state and due
 * time. Existing alerts are kept, so nothing is sent twice.
 */
export async function syncAlerts(
  db: Queryable,
  { meshId, targetId }: TargetKey,
  { currentItems, itemsToSend, state, dueAt }: AlertSync,
): Promise<void> {
  const isOf = and(eq(alerts.meshId, meshId), eq(alerts.targetId, targetId));
  const isGone = notInArray(alerts.item, [...currentItems]);
  const isUnwanted = and(eq(alerts.state, "waiting"), notInArray(alerts.item, [...itemsToSend]));
  await db.delete(alerts).where(and(isOf, or(isGone, isUnwanted)));
  if (itemsToSend.length === 0) return;
  await db
    .insert(alerts)
    .values(itemsToSend.map((item) => ({ meshId, targetId, item, state, dueAt })))
    .onConflictDoNothing();
}

interface AlertSync {
  readonly currentItems: readonly string[];
  readonly itemsToSend: readonly string[];
  readonly state: "known" | "waiting";
  readonly dueAt: Date;
}

/** Returns true if an alert for any of these targets is due. */
export async function hasDueAlerts(db: Queryable, targets: TargetsOfMesh, now: Date): Promise<boolean> {
  const rows = await db.select({ item: alerts.item }).from(alerts).where(isDue(targets, now)).limit(1);
  return rows.length > 0;
}

/** Ids of some targets in one mesh. */
interface TargetsOfMesh {
  readonly meshId: string;
  readonly targetIds: readonly string[];
}

export interface DueAlert extends TargetKey {
  readonly item: string;
  /** Number of delivery attempts, including the current one. */
  readonly attempts: number;
}

/**
 * Claims the alerts that are due for these targets, longest overdue first. If the caller does not report a
 * result before `leaseUntil`, the alerts become due again.
 */
export async function takeDueAlerts(
  db: Queryable,
  targets: TargetsOfMesh,
  { now, leaseUntil, limit }: { readonly now: Date; readonly leaseUntil: Date; readonly limit: number },
): Promise<DueAlert[]> {
  const due = db
    .select({ meshId: alerts.meshId, targetId: alerts.targetId, item: alerts.item })
    .from(alerts)
    .where(isDue(targets, now))
    .orderBy(asc(alerts.dueAt))
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(alerts)
    .set({ attempts: sql`${alerts.attempts} + 1`, dueAt: leaseUntil })
    .where(sql`(${alerts.meshId}, ${alerts.targetId}, ${alerts.item}) IN (${due})`)
    .returning({
      meshId: alerts.meshId,
      targetId: alerts.targetId,
      item: alerts.item,
      attempts: alerts.attempts,
    });
}

/** Records that an alert was sent or given up, or when it is due again. */
export async function settleAlert(
  db: Queryable,
  { meshId, targetId, item }: Omit<DueAlert, "attempts">,
  next: { readonly state: "sent" | "given_up" } | { readonly dueAt: Date },
): Promise<void> {
  await db
    .update(alerts)
    .set(next)
    .where(and(eq(alerts.meshId, meshId), eq(alerts.targetId, targetId), eq(alerts.item, item)));
}

function isDue({ meshId, targetIds }: TargetsOfMesh, now: Date) {
  return and(
    eq(alerts.meshId, meshId),
    eq(alerts.state, "waiting"),
    lte(alerts.dueAt, now),
    inArray(alerts.targetId, [...targetIds]),
  );
}
