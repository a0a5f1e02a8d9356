import {
  deleteEndedInvites,
  deleteEndedTokens,
  purgeDismissals,
  purgeMcpSessions,
  purgePresence,
  purgeReceipts,
  purgeRequests,
  type Queryable,
} from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { SettingsStore } from "../../core/settings-store.js";
import type { Purge } from "../hooks.js";
import type { ViewServices } from "../services.js";

const mcpSessionDays = 7;

/** The core's purges. The feed, the document and the rest of a record are kept permanently. */
const ownPurges: Readonly<Record<string, Purge>> = {
  idempotency_keys: (db) => purgeRequests(db, limits.idempotencyHours),
  mcp_sessions: (db) => purgeMcpSessions(db, mcpSessionDays),
  receipts: (db) => purgeReceipts(db, limits.receiptDays),
  tokens: (db) => deleteEndedTokens(db, limits.endedInviteDays),
  invites: (db) => deleteEndedInvites(db, limits.endedInviteDays),
  presence: purgeOlderThan("presence_days", purgePresence),
  dismissed: purgeOlderThan("dismissed_days", purgeDismissals),
};

type Days = "progress_days" | "presence_days" | "job_output_days" | "dismissed_days";

/**
 * Returns a purge that deletes data older than the number of days in a setting. If the setting is
 * 0, nothing is deleted.
 */
export function purgeOlderThan(
  setting: Days,
  purge: (db: Queryable, days: number) => Promise<number>,
): Purge {
  return async (db, settings) => (settings[setting] === 0 ? 0 : purge(db, settings[setting]));
}

/**
 * Deletes expired data in every mesh. Returns the number of deleted rows by kind of data (OPS-10).
 */
export async function purge(
  db: Queryable,
  { settings, hooks }: PurgeServices,
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const [kind, each] of Object.entries({ ...ownPurges, ...hooks.purge }))
    removed[kind] = await each(db, settings.current);
  return removed;
}

interface PurgeServices {
  readonly settings: Pick<SettingsStore, "current">;
  readonly hooks: Pick<ViewServices["hooks"], "purge">;
}
