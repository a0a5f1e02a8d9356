import { listThoughts, listThoughtsOfItsTasks, type ThoughtPage, type ThoughtRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { firstPrevHash } from "@merkle/wire/record";
import type { Context, SessionServices } from "../../sessions/context.js";
import { requireAuditSession } from "./audit-sessions.js";
import { rootMatches } from "./merkle-tree.js";
import { hashThought, toHashedThought } from "./thoughts.js";

type ChainVerdict = OutputOf<"audit_verify_chain">;
type ChainFault = NonNullable<ChainVerdict["broken_at"]>;

/**
 * Number of records verified at a time. Hashing this many records of maximum size takes a few milliseconds.
 */
const pageRecords = 100;

/**
 * Verifies a task's chain from its first record, or the chains of all tasks in an audit session. Stops at the
 * first invalid record (AUDIT-6). A finalised session must also have exactly the records that its root
 * covers.
 */
export async function verifyAuditChain(
  ctx: Context<SessionServices>,
  { task_id: taskId, session_id: requestedId }: ParsedInputOf<"audit_verify_chain">,
): Promise<ChainVerdict> {
  const { database } = ctx.services;
  if (taskId !== undefined && requestedId === undefined) {
    const chain = { sessionId: undefined, taskId };
    return {
      ...(await verifyChains((page) => listThoughts(database.orm, database.meshId, { ...chain, ...page }))),
      root_matches: null,
    };
  }
  const session = await requireAuditSession(ctx, requestedId);
  const verdict = await verifyChains((page) => listThoughtsOfItsTasks(database.orm, session, page));
  const isRootValid = await rootMatches(ctx.services, session);
  return { ...verdict, valid: verdict.valid && isRootValid !== false, root_matches: isRootValid };
}

async function verifyChains(
  readPage: (page: ThoughtPage) => Promise<readonly ThoughtRow[]>,
): Promise<Omit<ChainVerdict, "root_matches">> {
  const lastHashes = new Map<string, string>();
  let record_count = 0;
  let after = 0;
  for (;;) {
    const rows = await readPage({ after, limit: pageRecords });
    for (const row of rows) {
      record_count += 1;
      const broken_at = findFault(row, lastHashes.get(row.taskId) ?? firstPrevHash);
      lastHashes.set(row.taskId, row.hash);
      if (broken_at) return { valid: false, task_count: lastHashes.size, record_count, broken_at };
    }
    after = rows.at(-1)?.number ?? after;
    if (rows.length < pageRecords)
      return { valid: true, task_count: lastHashes.size, record_count, broken_at: null };
  }
}

function findFault(row: ThoughtRow, lastHash: string): ChainFault | null {
  const { id, number, taskId: task_id } = row;
  if (hashThought(toHashedThought(row)) !== row.hash) return { id, number, task_id, problem: "hash" };
  return row.prevHash === lastHash ? null : { id, number, task_id, problem: "prev_hash" };
}
