import {
  deleteEndedInvites,
  deleteEndedTokens,
  deleteUnusedSourceTexts,
  purgeApprovals,
  purgeClaims,
  purgeDismissals,
  purgeJobOutput,
  purgeMcpSessions,
  purgePresence,
  purgeProgress,
  purgeReceipts,
  purgeRequests,
  type Queryable,
} from "@merkle/db";
import type { BrokerSettings } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

const mcpSessionDays = 7;
/** A job may have begun with one and not have written yet. */
const sourceTextDays = 2;
/** How long what was handed back is something for people to look at. */
const handedBackHours = 24;
/** How long a person finds what was asked about behind a hash in the record. */
const endedApprovalDays = 90;

type Purge = (db: Queryable, settings: BrokerSettings) => Promise<number>;

/** What is not kept for ever, by what it is called. The feed, the document and all else that a record has are not among it. */
const purges: Readonly<Record<string, Purge>> = {
  idempotency_keys: (db) => purgeRequests(db, limits.idempotencyHours),
  mcp_sessions: (db) => purgeMcpSessions(db, mcpSessionDays),
  receipts: (db) => purgeReceipts(db, limits.receiptDays),
  source_texts: (db) => deleteUnusedSourceTexts(db, sourceTextDays),
  claims_handed_back: (db) => purgeClaims(db, handedBackHours),
  approvals: (db) => purgeApprovals(db, endedApprovalDays),
  tokens: (db) => deleteEndedTokens(db, limits.endedInviteDays),
  invites: (db) => deleteEndedInvites(db, limits.endedInviteDays),
  progress: kept("progress_days", purgeProgress),
  presence: kept("presence_days", purgePresence),
  job_output: kept("job_output_days", purgeJobOutput),
  dismissed: kept("dismissed_days", purgeDismissals),
};

type Days = "progress_days" | "presence_days" | "job_output_days" | "dismissed_days";

function kept(setting: Days, purge: (db: Queryable, days: number) => Promise<number>): Purge {
  return async (db, settings) => (settings[setting] === 0 ? 0 : purge(db, settings[setting]));
}

/** Deletes in every mesh what is no longer kept, and returns how many of each kind (OPS-10). */
export async function purge(db: Queryable, settings: BrokerSettings): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const [kind, each] of Object.entries(purges)) removed[kind] = await each(db, settings);
  return removed;
}
