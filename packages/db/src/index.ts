export { type ConnectionTarget, connectPool } from "./core/connection.js";
export {
  DatabaseError,
  type DatabaseErrorCode,
  explainFailedStatement,
  findDatabaseErrorCode,
  findViolatedConstraint,
  isConnectionLost,
  isDataError,
  isOutOfResources,
  isOutOfRoom,
  isSerializationFailure,
  isTimeout,
  isTooSlow,
  isUniqueViolation,
} from "./core/database-error.js";
export * from "./core/idempotency.js";
export { buildLargeIndexes } from "./core/large-indexes.js";
export { type MigrateOptions, migrate } from "./core/migrate.js";
export * from "./core/nodes.js";
export { type Notifications, openNotifications } from "./core/notifications.js";
export * from "./core/settings.js";
export * from "./core/source-columns.js";
export type { Queryable, Transaction } from "./core/transactions.js";
export * from "./document/documents.js";
export * from "./document/torn-documents.js";
export * from "./document/version-redactions.js";
export * from "./features.js";
export { appendInTransaction, appendMessages } from "./feed/append-messages.js";
export * from "./feed/asks.js";
export * from "./feed/feed-pages.js";
export { type AppendOutcome, type MessageRow, messageRowDefaults } from "./feed/message-row.js";
export * from "./feed/messages.js";
export * from "./feed/nudges.js";
export * from "./feed/reading.js";
export * from "./identity/audit-keys.js";
export * from "./identity/authority.js";
export * from "./identity/client-grants.js";
export * from "./identity/held-bytes.js";
export * from "./identity/invites.js";
export * from "./identity/job-credentials.js";
export * from "./identity/members.js";
export * from "./identity/meshes.js";
export * from "./identity/persons.js";
export * from "./identity/tokens.js";
export * from "./sessions/holds.js";
export * from "./sessions/peer-changes.js";
export * from "./sessions/peers.js";
export * from "./sessions/sessions.js";
export {
  listStateEntries,
  type StateBounds,
  type StateFilter,
  type StateVersionRow,
} from "./sessions/state-entries.js";
export * from "./sessions/teams.js";
export * from "./sessions/token-budgets.js";
export { acquireNodeLock, lockNoticedMsMax, type NodeLock } from "./start/node-lock.js";
export {
  type Database,
  type OpenDatabaseOptions,
  openDatabase,
  scopeToMesh,
} from "./start/open-database.js";
export type { ReplicaState } from "./start/read-replica.js";
export { measureRoundTrip, type WriteProblem } from "./start/write-health.js";
export * from "./text/text-query.js";
export * from "./transports/mcp-sessions.js";
export * from "./views/attention.js";
export * from "./views/housekeeping.js";
export * from "./views/person-data.js";
export * from "./views/undelivered.js";

// Backup and restore.

export { type BackupOptions, type BackupSummary, backupDatabase } from "./backup/backup-database.js";
export { BackupError, type BackupErrorCode } from "./backup/backup-error.js";
export type { BackupManifest, BackupProgress, TableRows } from "./backup/manifest.js";
export { readBackupManifest } from "./backup/read-backup-file.js";
export { type RestoreOptions, type RestoreSummary, restoreDatabase } from "./backup/restore-database.js";
