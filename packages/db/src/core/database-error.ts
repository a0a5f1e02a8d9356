import { DrizzleQueryError } from "drizzle-orm";
import postgres from "postgres";

/** The error thrown when the database cannot be used. Its message says what to do about it (DB-9). */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type DatabaseErrorCode =
  | "unreachable"
  | "refused"
  | "server_too_old"
  | "schema_newer"
  | "fsync_off"
  | "read_only"
  | "disk_full"
  | "migration_failed"
  | "no_replica";

/**
 * Explains why a statement failed while a broker was starting. Leaves out the statement and its parameters,
 * which may be keys. Returns any other error unchanged.
 */
export function explainFailedStatement(error: unknown): unknown {
  if (error instanceof DatabaseError || !isFailedStatement(error)) return error;
  if (isConnectionLost(error)) {
    return new DatabaseError(
      "unreachable",
      "The connection to the database was lost while Merkle was starting. Start Merkle again. If this happens again, check the log of the database.",
      { cause: error },
    );
  }
  return new DatabaseError(
    "refused",
    `The database rejected a statement while Merkle was starting (${findDatabaseErrorCode(error)}). The log of the database has the reason.`,
    { cause: error },
  );
}

/**
 * Returns true for errors from the server, the driver or a socket. Merkle's own errors have lower-case codes
 * and need no explanation.
 */
function isFailedStatement(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  if (code === undefined || code !== code.toUpperCase()) return false;
  if (code.startsWith("CONNECTION_") || isOfSocket(error)) return true;
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof DrizzleQueryError || current instanceof postgres.PostgresError) return true;
  }
  return false;
}

function isOfSocket(error: unknown): boolean {
  return (
    error instanceof Error && "syscall" in error && /^(?:connect|read|write)$/.test(String(error.syscall))
  );
}

/** Returns the SQLSTATE or driver code of an error, or of the nearest cause that has one. */
export function findDatabaseErrorCode(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string") return current.code;
  }
  return undefined;
}

/**
 * Returns true if the error comes from the database, its driver or the connection. Errors meant for callers
 * have lower-case codes.
 */
export function isFromDatabase(error: unknown): boolean {
  if (error instanceof DatabaseError) return true;
  const code = findDatabaseErrorCode(error);
  return code !== undefined && code === code.toUpperCase();
}

const lostCodes = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "EAI_AGAIN",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "EMFILE", // this code and those below: connecting failed because the process or the machine has no free file descriptor
  "ENETUNREACH",
  "ENFILE",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
  "57P01", // admin_shutdown
  "57P02", // crash_shutdown
  "57P03", // cannot_connect_now
  "25P03", // idle_in_transaction_session_timeout
]);

/**
 * Returns true if the connection was lost. A commit in progress at that moment may or may not have succeeded.
 */
export function isConnectionLost(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  return code !== undefined && (lostCodes.has(code) || code.startsWith("08"));
}

/** Returns true if a statement, or its wait for a lock, exceeded its timeout. Nothing was changed. */
export function isTimeout(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  return code === "55P03" || code === "57014";
}

/**
 * Returns true if the statement itself exceeded its timeout (DB-10), which is longer than the lock timeout.
 */
export function isTooSlow(error: unknown): boolean {
  return findDatabaseErrorCode(error) === "57014";
}

/** Returns true if the server rejected the data itself (SQLSTATE class 22 or 23), so a retry cannot help. */
export function isDataError(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  return code !== undefined && /^2[23]/.test(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return findDatabaseErrorCode(error) === "23505";
}

/** Returns the name of the constraint or unique index that rejected a row. */
export function findViolatedConstraint(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("constraint_name" in current && typeof current.constraint_name === "string") {
      return current.constraint_name;
    }
  }
  return undefined;
}

/** Returns true if the server lacks disk space, memory, connections or permission to write. */
export function isOutOfResources(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  return code !== undefined && (code.startsWith("53") || code === "25006" || code === "58030");
}

/** Returns true if the disk or memory is too full for this write. A smaller write may still succeed. */
export function isOutOfRoom(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  return code === "53100" || code === "53200";
}

/**
 * Returns true if the transaction conflicted with another one, or was aborted to resolve a deadlock. The
 * caller can retry it.
 */
export function isSerializationFailure(error: unknown): boolean {
  const code = findDatabaseErrorCode(error);
  return code === "40001" || code === "40P01";
}
