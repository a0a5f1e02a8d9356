import {
  DatabaseError,
  findDatabaseErrorCode,
  isConnectionLost,
  isOutOfResources,
  isTimeout,
} from "../core/database-error.js";

/** The error thrown when a backup or restore fails. Its message says what to do about it. */
export class BackupError extends Error {
  override readonly name = "BackupError";
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type BackupErrorCode =
  | "file_missing"
  | "file_exists"
  | "file_inaccessible"
  | "not_a_backup"
  | "truncated"
  | "altered"
  | "newer_format"
  | "no_merkle_database"
  | "target_not_empty"
  | "target_newer"
  | "target_in_use"
  | "disk_full"
  | "connection_failed"
  | "refused_by_database";

/**
 * Converts a file system error about `file` to an error with a readable message. Returns any other error
 * unchanged.
 */
export function explainFileError(error: unknown, file: string): unknown {
  // Node reports a missing Unix socket as ENOENT too, but that is a connection error.
  if (!(error instanceof Error) || !("syscall" in error) || error.syscall === "connect") return error;
  const code = findDatabaseErrorCode(error);
  switch (code) {
    case "ENOENT":
      return new BackupError("file_missing", `There is no file or folder ${file}. Correct the path.`, {
        cause: error,
      });
    case "EEXIST":
      return fileExists(file, error);
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return new BackupError(
        "disk_full",
        `The disk is too full to write ${file} (${code}). The unfinished file was removed. Free some space, or choose a file on another disk.`,
        { cause: error },
      );
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "EISDIR":
    case "ENOTDIR":
    case "ELOOP":
    case "ENAMETOOLONG":
    case "EBUSY":
    case "EIO":
    case "EMFILE":
      return new BackupError(
        "file_inaccessible",
        `The file ${file} cannot be used (${error.message}). Choose another file, or correct its permissions.`,
        { cause: error },
      );
    default:
      return error;
  }
}

export function fileExists(file: string, cause?: unknown): BackupError {
  return new BackupError(
    "file_exists",
    `The file ${file} already exists and was not changed. Choose another name, or allow it to be overwritten.`,
    { cause },
  );
}

/**
 * Converts a database error to an error with a readable message. `outcome` is appended and says what the
 * failure means for the file or the data.
 */
export function explainDatabaseError(error: unknown, outcome: string): unknown {
  if (error instanceof BackupError || error instanceof DatabaseError) return error;
  const code = findDatabaseErrorCode(error);
  if (!(error instanceof Error) || code === undefined) return error;
  const reason = `${error.message || "no reason given"} (${code})`;
  if (isConnectionLost(error) || ["ENOTFOUND", "EAI_AGAIN", "ERR_INVALID_URL"].includes(code)) {
    return new BackupError(
      "connection_failed",
      `The database does not respond, or the connection was lost: ${reason}. ${outcome} Start the database or correct DATABASE_URL, then try again.`,
      { cause: error },
    );
  }
  if (code === "53100" || code === "58030") {
    return new BackupError(
      "disk_full",
      `The disk of the database server is full: ${reason}. ${outcome} Free some space there, then try again.`,
      { cause: error },
    );
  }
  if (isTimeout(error) || isOutOfResources(error)) {
    return new BackupError(
      "target_in_use",
      `The database is too busy: ${reason}. ${outcome} Stop other programs that use it, then try again.`,
      { cause: error },
    );
  }
  if (error.name === "PostgresError") {
    return new BackupError("refused_by_database", `The database reported an error: ${reason}. ${outcome}`, {
      cause: error,
    });
  }
  return error;
}
