/** The parts of audit sessions that other features use. */
export { AuditSessions } from "./audit-sessions";
