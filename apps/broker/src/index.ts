export { backupHome, type HomeBackupOptions, restoreHome } from "./backup-home.js";
export { type DatabaseFacts, inspectDatabase } from "./inspect-database.js";
export type { AgentOptions } from "./jobs/agent-options.js";
export type { RunError, RunnableJob, Runner, RunnerFacts, RunResult } from "./jobs/runner.js";
export { createLog, type Log } from "./log.js";
export type { ProgressLogLevel, SummaryOptions } from "./progress/summary-options.js";
export { readAuditKeys, rotateAuditKey } from "./record/rotate-audit-key.js";
export { type Broker, type BrokerOptions, defaultPort, startBroker } from "./start-broker.js";
export { StartError } from "./start-error.js";
