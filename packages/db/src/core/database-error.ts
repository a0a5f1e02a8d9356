import { DrizzleQueryError } from "drizzle-orm";
import postgres from "postgres";

/** The reasons why a database cannot be served; the message says what to do about each (DB-9). */
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
 * For people: why a statement failed while a broker started. The statement itself and its parameters, which may be keys, are
 * left out. Returns anything else as it is.
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
    `The database rejected a statement while Merkle was starting (${databaseErrorCode(error)}). The log of the database has the reason.`,
    { cause: error },
  );
}

/** What has a code in small letters has a sentence of its own. */
function isFailedStatement(error: unknown): boolean {
  const code = databaseErrorCode(error);
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

/** The SQLSTATE or the driver's code of a failed statement, looked for below whatever wraps it. */
export function databaseErrorCode(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("code" in current && typeof current.code === "string") return current.code;
  }
  return undefined;
}

/** Whether the database, its driver or the way there failed; what callers are told has codes in small letters. */
export function isFromDatabase(error: unknown): boolean {
  if (error instanceof DatabaseError) return true;
  const code = databaseErrorCode(error);
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
  "EMFILE", // of connecting, like all that follow: this process or the machine has no descriptor free
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

/** Whether the connection went away, so that a commit that was under way may or may not have happened. */
export function isConnectionLost(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== undefined && (lostCodes.has(code) || code.startsWith("08"));
}

/** Whether a lock or the statement itself took longer than allowed; nothing was changed. */
export function isTimeout(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === "55P03" || code === "57014";
}

/** Whether the statement itself took too long (DB-10): a lock is waited for less long than that. */
export function isTooSlow(error: unknown): boolean {
  return databaseErrorCode(error) === "57014";
}

/** Whether the data itself was at fault (SQLSTATE class 22 or 23): sending it again cannot help. */
export function isDataError(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== undefined && /^2[23]/.test(code);
}

export function isUniqueViolation(error: unknown): boolean {
  return databaseErrorCode(error) === "23505";
}

/** The constraint or unique index that refused a row, by its name. */
export function violatedConstraint(error: unknown): string | undefined {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ("constraint_name" in current && typeof current.constraint_name === "string") {
      return current.constraint_name;
    }
  }
  return undefined;
}

/** Whether the server lacks what it needs to write: disk, memory, connections, or permission to write at all. */
export function isOutOfResources(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code !== undefined && (code.startsWith("53") || code === "25006" || code === "58030");
}

/** Whether there was no disk or memory left for what was sent: something smaller may still fit. */
export function isOutOfRoom(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === "53100" || code === "53200";
}

/** Two transactions that cannot both go on; one of them may simply be run again. */
export function isSerializationFailure(error: unknown): boolean {
  const code = databaseErrorCode(error);
  return code === "40001" || code === "40P01";
}
