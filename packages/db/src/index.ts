export { type AppendOutcome, appendMessages, type MessageRow, toOutcome } from "./append-messages.js";
export { type ConnectionTarget, connectPool } from "./connection.js";
export {
  DatabaseError,
  type DatabaseErrorCode,
  databaseErrorCode,
  isConnectionLost,
  isDataError,
  isOutOfResources,
  isOutOfRoom,
  isSerializationFailure,
  isTimeout,
  isUniqueViolation,
  violatedConstraint,
} from "./database-error.js";
export { holdNodeLock, lockNoticedMsMax, type NodeLock } from "./node-lock.js";
export {
  type Database,
  inMesh,
  type OpenDatabaseOptions,
  openDatabase,
  type Queryable,
  type Transaction,
} from "./open-database.js";
export * from "./queries/attention.js";
export * from "./queries/audit-keys.js";
export * from "./queries/audit-sessions.js";
export * from "./queries/dismissals.js";
export * from "./queries/documents.js";
export * from "./queries/export-rows.js";
export * from "./queries/facts.js";
export * from "./queries/feed-pages.js";
export * from "./queries/file-work.js";
export * from "./queries/further-secrets.js";
export * from "./queries/heads.js";
export * from "./queries/holds.js";
export * from "./queries/idempotency.js";
export * from "./queries/import-rows.js";
export * from "./queries/invites.js";
export * from "./queries/jobs.js";
export * from "./queries/mcp-sessions.js";
export * from "./queries/members.js";
export * from "./queries/memories.js";
export * from "./queries/meshes.js";
export * from "./queries/messages.js";
export * from "./queries/peer-changes.js";
export * from "./queries/peers.js";
export * from "./queries/personas.js";
export * from "./queries/persons.js";
export * from "./queries/perspectives.js";
export * from "./queries/progress.js";
export * from "./queries/proposals.js";
export * from "./queries/reading.js";
export * from "./queries/receipts.js";
export * from "./queries/record-tiles.js";
export * from "./queries/redactions.js";
export * from "./queries/search.js";
export * from "./queries/search-index.js";
export * from "./queries/sessions.js";
export * from "./queries/settings.js";
export * from "./queries/source-texts.js";
export * from "./queries/state.js";
export * from "./queries/state-watches.js";
export * from "./queries/teams.js";
export * from "./queries/text-query.js";
export * from "./queries/thought-records.js";
export * from "./queries/timeline.js";
export * from "./queries/tokens.js";
export * from "./queries/topics.js";
export type { WriteProblem } from "./write-health.js";

// Backup and restore.

export { type BackupOptions, type BackupSummary, backupDatabase } from "./backup/backup-database.js";
export { BackupError, type BackupErrorCode } from "./backup/backup-error.js";
export type { BackupManifest, TableRows } from "./backup/manifest.js";
export { readBackupManifest } from "./backup/read-backup-file.js";
export { type RestoreOptions, type RestoreSummary, restoreDatabase } from "./backup/restore-database.js";
