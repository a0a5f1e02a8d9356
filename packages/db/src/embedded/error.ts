/** The reasons why the embedded PostgreSQL cannot run. The user must respond to each of them differently. */
export type EmbeddedPostgresErrorCode =
  /** There are no PostgreSQL binaries for this operating system, processor or C library. */
  | "platform_unsupported"
  /** The platform has binaries, but the optional npm package with them is not installed. */
  | "binaries_missing"
  /** The home, or a folder used instead of it, is not writable. */
  | "home_read_only"
  /** This process is root, and another user can change the home or a folder above it. */
  | "home_shared"
  /** Another broker is using this home. */
  | "home_in_use"
  /** The home is a copy of another home and points to the same database. */
  | "home_copied"
  /** The user that runs the server no longer has access to the data. */
  | "home_unreachable"
  /** The disk with the data is full. */
  | "disk_full"
  /** This process is root, and no unprivileged user can run the server, or switching to that user fails. */
  | "server_user"
  /** The user id of this process has no name, which initdb requires. */
  | "user_unknown"
  /** No private folder has a path short enough for a socket. */
  | "socket_folder"
  /**
   * There is no free port, or another program took the chosen port. Occurs only on systems without Unix
   * sockets.
   */
  | "port_unavailable"
  /** The data directory exists but is not a complete cluster, or its password is lost. */
  | "data_damaged"
  /** The home has data from another major version of PostgreSQL, which this Merkle does not include. */
  | "other_major"
  /** initdb failed for another reason. `details` contains its output. */
  | "initdb_failed"
  /** The server exited while starting. `details` contains the end of its log. */
  | "start_failed"
  /** The server neither became ready nor exited in time. */
  | "start_timeout";

/**
 * The error thrown when the embedded PostgreSQL cannot run. Its message says what is wrong and what to do.
 */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly code: EmbeddedPostgresErrorCode;
  /** Output of initdb or the server, if it explains the failure. */
  readonly details: string | undefined;

  constructor(
    code: EmbeddedPostgresErrorCode,
    message: string,
    more: { details?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.details = more.details;
  }
}

/** Advice that applies to every failure, worded as the end of a sentence. */
export const USE_YOUR_OWN = "set DATABASE_URL to your own PostgreSQL server";

/**
 * Runs `work` and converts its file system errors to readable ones. `path` is the path that `work` writes to.
 */
export async function explainPathErrors<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainText(path, findErrorCode(error) ?? "", error) ?? error;
  }
}

/**
 * Explains that a file system is full or read-only, if `text` says so. `text` is an errno or the untranslated
 * output of a PostgreSQL program. Returns undefined for any other text.
 */
export function explainText(path: string, text: string, cause?: unknown): EmbeddedPostgresError | undefined {
  const more = { cause, ...(text.length > 10 ? { details: text } : {}) };
  if (/ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i.test(text)) {
    return new EmbeddedPostgresError(
      "disk_full",
      `No space is left for the database in ${path}. Free some space there, or set MERKLE_HOME to a folder on another disk.`,
      more,
    );
  }
  if (/EROFS|Read-only file system/i.test(text)) {
    return new EmbeddedPostgresError(
      "home_read_only",
      `${path} is on a read-only file system, but the database needs write access. Set MERKLE_HOME to a writable folder, or ${USE_YOUR_OWN}.`,
      more,
    );
  }
  if (/^(EACCES|EPERM)$/.test(text)) {
    return new EmbeddedPostgresError(
      "home_read_only",
      `This user has no permission to write to ${path}. Make the user that runs Merkle its owner, or set MERKLE_HOME to a folder that they own.`,
      more,
    );
  }
  return undefined;
}

/** Returns the `code` of an error from Node or PostgreSQL. */
export function findErrorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
