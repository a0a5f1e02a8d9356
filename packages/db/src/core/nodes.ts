import { eq, sql } from "drizzle-orm";
import { nodes, peers } from "./schema.js";
import type { Queryable } from "./transactions.js";

/** Facts that a broker publishes about itself to the other brokers on its database. */
export interface NodeFacts {
  readonly nodeId: string;
  readonly version: string;
  readonly address: string;
  readonly bus: string;
  readonly epoch: string;
  readonly auditKey: string;
  /** How many milliseconds the node's clock is ahead of the database's clock. */
  readonly clockMs: number;
}

export interface NodeRow extends NodeFacts {
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /**
   * Milliseconds since `lastSeenAt`. Measured by the database's clock, because the nodes' clocks may differ.
   */
  readonly unseenMs: number;
}

/** Records that a node is running. */
export async function saveNode(db: Queryable, node: NodeFacts): Promise<void> {
  await db
    .insert(nodes)
    .values(node)
    .onConflictDoUpdate({
      target: nodes.nodeId,
      set: { address: node.address, clockMs: node.clockMs, lastSeenAt: sql`now()` },
    });
}

/** Lists all recorded nodes, running or not, in the order in which they started. */
export async function listNodes(db: Queryable): Promise<NodeRow[]> {
  return db
    .select({
      nodeId: nodes.nodeId,
      version: nodes.version,
      address: nodes.address,
      bus: nodes.bus,
      epoch: nodes.epoch,
      auditKey: nodes.auditKey,
      clockMs: nodes.clockMs,
      startedAt: nodes.startedAt,
      lastSeenAt: nodes.lastSeenAt,
      unseenMs: sql<number>`(extract(epoch FROM clock_timestamp() - ${nodes.lastSeenAt}) * 1000)::float8`,
    })
    .from(nodes)
    .orderBy(nodes.startedAt, nodes.nodeId);
}

/** Deletes a node that has stopped. */
export async function deleteNode(db: Queryable, nodeId: string): Promise<void> {
  await db.delete(nodes).where(eq(nodes.nodeId, nodeId));
}

/**
 * Deletes nodes that have not been seen for `unseenHours` hours, and the presence that they recorded for
 * peers.
 */
export async function purgeNodes(db: Queryable, unseenHours: number): Promise<void> {
  const deleted = await db
    .delete(nodes)
    .where(sql`${nodes.lastSeenAt} < now() - make_interval(hours => ${unseenHours})`)
    .returning({ nodeId: nodes.nodeId });
  if (deleted.length === 0) return;
  const ids = sql`${sql.param(`{${deleted.map(({ nodeId }) => nodeId).join(",")}}`)}::text[]`;
  await db
    .update(peers)
    .set({ here: sql`${peers.here} - ${ids}` })
    .where(sql`${peers.here} ?| ${ids}`);
}

/**
 * Measures how many milliseconds this machine's clock is ahead of the database's clock. The error is at most
 * half the query's round trip.
 */
export async function measureClock(db: Queryable): Promise<number> {
  const before = Date.now();
  const [row] = await db.execute<{ now: number }>(
    sql`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
  );
  return Math.round((before + Date.now()) / 2 - Number(row?.now));
}
