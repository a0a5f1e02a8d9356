import { and, desc, eq, getTableColumns, lt, lte, max, type SQL, sql } from "drizzle-orm";
import { documents, meshes, proposals } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import { lockTopic } from "../topics/feature.js";

const { content: _content, ...columns } = getTableColumns(proposals);

/** A proposal without its text. */
export type ProposalRow = Omit<typeof proposals.$inferSelect, "content">;

/** Identifies a proposal by its number within its mesh. */
export interface ProposalKey {
  readonly meshId: string;
  readonly number: number;
}

/** Identifies the revisions of one proposal by their subject: a topic, or the conclusion of a session. */
export type ProposalSeries =
  | { readonly meshId: string; readonly topic: number }
  | { readonly meshId: string; readonly topic: null; readonly sessionId: string };

export interface NewProposal {
  readonly meshId: string;
  readonly kind: ProposalRow["kind"];
  readonly sessionId: string | null;
  readonly root: string | null;
  readonly path: string | null;
  readonly topic: number | null;
  readonly baseVersion: number | null;
  readonly baseHash: string | null;
  readonly content: string;
  readonly added: number;
  readonly removed: number;
  readonly note: string;
  /** The person who made the proposal. Null if an agent made it. */
  readonly proposedBy: string | null;
  readonly job: number | null;
}

/** Returns the series of revisions that a proposal belongs to. */
export function toSeries({
  meshId,
  topic,
  sessionId,
}: Pick<NewProposal, "meshId" | "topic" | "sessionId">): ProposalSeries {
  if (topic !== null) return { meshId, topic };
  if (sessionId === null) throw new TypeError("A conclusion must have a session.");
  return { meshId, topic, sessionId };
}

/**
 * Locks a series until the transaction ends, so that proposing, deciding and closing happen one after
 * another. Locks the topic, as closing a topic also does, or takes an advisory lock for a conclusion. Take
 * this lock before locks on documents, counters and feeds.
 */
export async function lockProposalSeries(tx: Transaction, series: ProposalSeries): Promise<void> {
  if (series.topic === null) {
    const name = `conclusions of ${series.sessionId}`;
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  } else {
    await lockTopic(tx, { meshId: series.meshId, number: series.topic });
  }
}

/**
 * Inserts a proposal's next revision under the mesh's next number, and marks an open revision as replaced.
 * The caller must hold the lock on the series.
 */
export async function insertProposalRow(tx: Transaction, proposal: NewProposal): Promise<ProposalRow> {
  const isInThisSeries = isInSeries(toSeries(proposal));
  await tx
    .update(proposals)
    .set({ status: "replaced", decidedAt: sql`now()` })
    .where(and(isInThisSeries, eq(proposals.status, "open")));
  const [last] = await tx
    .select({ revision: max(proposals.revision) })
    .from(proposals)
    .where(isInThisSeries);
  const [counter] = await tx
    .update(meshes)
    .set({ lastProposal: sql`${meshes.lastProposal} + 1` })
    .where(eq(meshes.meshId, proposal.meshId))
    .returning({ number: meshes.lastProposal });
  if (!counter) throw new TypeError("The mesh of the proposal was not found.");
  const [row] = await tx
    .insert(proposals)
    .values({
      ...proposal,
      number: counter.number,
      revision: (last?.revision ?? 0) + 1,
      proposedAt: sql`now()`,
    })
    .returning(columns);
  if (!row) throw new TypeError("The insert returned no row.");
  return row;
}

/**
 * A proposal, with the newest version of the document that it would change. The version is null for a file.
 */
export interface ProposalWithVersion extends ProposalRow {
  readonly currentVersion: number | null;
}

const columnsWithVersion = {
  ...columns,
  currentVersion: sql<number | null>`CASE WHEN ${proposals.path} IS NULL THEN ${documents.version} END`,
};

export async function findProposal(
  db: Queryable,
  { meshId, number }: ProposalKey,
): Promise<ProposalWithVersion | null> {
  const [row] = await db
    .select(columnsWithVersion)
    .from(proposals)
    .leftJoin(documents, eq(documents.sessionId, proposals.sessionId))
    .where(and(eq(proposals.meshId, meshId), eq(proposals.number, number)));
  return row ?? null;
}

/** Returns the text of a proposal, or null if it was redacted. */
export async function readProposalContent(
  db: Queryable,
  { meshId, number }: ProposalKey,
): Promise<string | null> {
  const [row] = await db
    .select({ content: proposals.content })
    .from(proposals)
    .where(and(eq(proposals.meshId, meshId), eq(proposals.number, number)));
  return row?.content ?? null;
}

export interface ProposalFilter {
  readonly sessionId?: string | undefined;
  readonly file?: { readonly root: string; readonly path: string } | undefined;
  readonly topic?: number | undefined;
  readonly status?: ProposalRow["status"] | undefined;
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Lists proposals without their text, newest first. */
export async function listProposalRows(
  db: Queryable,
  meshId: string,
  { sessionId, file, topic, status, before, limit }: ProposalFilter,
): Promise<ProposalWithVersion[]> {
  const conditions = [
    eq(proposals.meshId, meshId),
    sessionId === undefined ? undefined : eq(proposals.sessionId, sessionId),
    file === undefined ? undefined : and(eq(proposals.root, file.root), eq(proposals.path, file.path)),
    topic === undefined ? undefined : eq(proposals.topic, topic),
    status === undefined ? undefined : eq(proposals.status, status),
    before === undefined ? undefined : lt(proposals.number, before),
  ];
  return db
    .select(columnsWithVersion)
    .from(proposals)
    .leftJoin(documents, eq(documents.sessionId, proposals.sessionId))
    .where(and(...conditions))
    .orderBy(desc(proposals.number))
    .limit(limit);
}

/** Returns the latest proposal of a series made at or before `notAfter`, or null if there is none. */
export async function findLastProposal(
  db: Queryable,
  series: ProposalSeries,
  { notAfter }: { readonly notAfter: Date },
): Promise<ProposalRow | null> {
  const [row] = await db
    .select(columns)
    .from(proposals)
    .where(and(isInSeries(series), lte(proposals.proposedAt, notAfter)))
    .orderBy(desc(proposals.revision))
    .limit(1);
  return row ?? null;
}

/** A person's decision and its result. */
export type ProposalDecision = { readonly decidedBy: string } & (
  | { readonly status: "rejected"; readonly remark: string | null }
  | { readonly status: "returned"; readonly remark: string }
  | {
      readonly status: "accepted";
      readonly acceptedContentHash: Uint8Array;
      readonly acceptedVersion: number | null;
      readonly acceptedCommit: string | null;
    }
);

/** Records a decision on a proposal. Returns false if the proposal is no longer open. */
export async function decideProposalRow(
  tx: Transaction,
  { meshId, number }: ProposalKey,
  decision: ProposalDecision,
): Promise<boolean> {
  const rows = await tx
    .update(proposals)
    .set({ ...decision, decidedAt: sql`now()` })
    .where(and(eq(proposals.meshId, meshId), eq(proposals.number, number), eq(proposals.status, "open")))
    .returning({ number: proposals.number });
  return rows.length === 1;
}

/**
 * Rejects the open proposal of a series, because its topic was closed or its session was concluded with a
 * different text. The caller must hold the lock on the series. Returns false if no proposal was open.
 */
export async function rejectOpenProposal(
  tx: Transaction,
  series: ProposalSeries,
  decidedBy: string,
): Promise<boolean> {
  const rows = await tx
    .update(proposals)
    .set({ status: "rejected", decidedBy, decidedAt: sql`now()` })
    .where(and(isInSeries(series), eq(proposals.status, "open")))
    .returning({ number: proposals.number });
  return rows.length > 0;
}

/**
 * Removes the text of proposals that are based on the given document versions or that became one of them. The
 * text of such a proposal contains most of the redacted text. Open proposals are marked as replaced. Returns
 * how many proposals were changed.
 */
export async function redactProposals(
  tx: Transaction,
  sessionId: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<number> {
  const rows = await tx
    .update(proposals)
    .set({
      content: null,
      status: sql`CASE WHEN ${proposals.status} = 'open' THEN 'replaced' ELSE ${proposals.status} END`,
      decidedAt: sql`coalesce(${proposals.decidedAt}, now())`,
    })
    .where(
      and(
        eq(proposals.sessionId, sessionId),
        sql`${proposals.path} IS NULL AND ${proposals.content} IS NOT NULL`,
        sql`(${proposals.baseVersion} BETWEEN ${from} AND ${to} OR ${proposals.acceptedVersion} BETWEEN ${from} AND ${to})`,
      ),
    )
    .returning({ number: proposals.number });
  return rows.length;
}

function isInSeries(series: ProposalSeries): SQL | undefined {
  if (series.topic !== null)
    return and(eq(proposals.meshId, series.meshId), eq(proposals.topic, series.topic));
  return and(eq(proposals.sessionId, series.sessionId), eq(proposals.kind, "conclusion"));
}
