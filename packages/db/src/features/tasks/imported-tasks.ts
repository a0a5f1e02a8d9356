import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { claims, messages, peers, tasks, teams } from "../../core/schema.js";
import type { Transaction } from "../../core/transactions.js";
import { type StoredTask, taskColumns } from "./task-columns.js";

/** An event in an imported feed that reports a change to a task or claim. */
export interface ImportedEventRow {
  readonly sequence: number;
  /** The event's content as canonical JSON. */
  readonly content: string;
}

/** Lists up to `limit` events about tasks and claims that follow a given message, in order. */
export async function listImportedTaskEvents(
  tx: Transaction,
  sessionId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ImportedEventRow[]> {
  return tx
    .select({ sequence: messages.sequence, content: messages.content })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        inArray(messages.kind, ["task_changed", "claim_changed"]),
        gt(messages.sequence, after),
      ),
    )
    .orderBy(asc(messages.sequence))
    .limit(limit);
}

export type ImportedTaskRow = StoredTask;
export type ImportedClaimRow = typeof claims.$inferSelect;

export async function readImportedTasks(
  tx: Transaction,
  sessionId: string,
  numbers: readonly number[],
): Promise<ImportedTaskRow[]> {
  return tx
    .select(taskColumns)
    .from(tasks)
    .where(and(eq(tasks.sessionId, sessionId), inArray(tasks.number, [...numbers])));
}

/** Inserts tasks in their current state, or replaces existing ones. */
export async function putImportedTasks(tx: Transaction, rows: readonly ImportedTaskRow[]): Promise<void> {
  for (const row of rows) {
    await tx
      .insert(tasks)
      .values(row)
      .onConflictDoUpdate({ target: [tasks.sessionId, tasks.number], set: row });
  }
}

/** Replaces all claims of an imported session. */
export async function replaceImportedClaims(
  tx: Transaction,
  sessionId: string,
  rows: readonly ImportedClaimRow[],
): Promise<void> {
  await tx.delete(claims).where(eq(claims.sessionId, sessionId));
  if (rows.length > 0) await tx.insert(claims).values([...rows]);
}

/** Lists an imported session's peers with their team names, in the order in which the peers joined. */
export async function listImportedPeers(
  tx: Transaction,
  sessionId: string,
): Promise<{ peerId: string; name: string | null; team: string; kind: "agent" | "human" | "guest" }[]> {
  return tx
    .select({ peerId: peers.peerId, name: peers.name, team: teams.name, kind: teams.kind })
    .from(peers)
    .innerJoin(teams, and(eq(teams.sessionId, peers.sessionId), eq(teams.teamId, peers.teamId)))
    .where(eq(peers.sessionId, sessionId))
    .orderBy(asc(peers.joinedAt));
}
