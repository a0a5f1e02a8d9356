/** What other features use of audit sessions. */
export { AuditSessions } from "./audit-sessions";
