export { createLog, type Log } from "./core/log.js";
export { lowerHelperThreads } from "./core/lower-helper-threads.js";
export type { PageBuild } from "./core/page-build.js";
export { StartError } from "./core/start-error.js";
export type {
  JobAgentOptions,
  JobRunner,
  RunError,
  RunnableJob,
  RunnerFacts,
  RunResult,
} from "./features/jobs/feature.js";
export type { ProgressLogLevel, SummaryOptions } from "./features/progress/feature.js";
export { readAuditKeys, rotateAuditKey } from "./identity/audit-key/rotate-audit-key.js";
export { type BackupProgress, backupHome, type HomeBackupOptions, restoreHome } from "./start/backup-home.js";
export type { BrokerOptions } from "./start/broker-options.js";
export { type DatabaseInfo, inspectDatabase } from "./start/inspect-database.js";
export { findOutsideData, type OutsideData, removeHomeData } from "./start/remove-home.js";
export { defaultPort, type StartedBroker, startBroker } from "./start/start-broker.js";
export { type UpgradeResult, upgradeHome, upgradePostgres } from "./start/upgrade-home.js";
