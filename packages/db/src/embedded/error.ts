/** The reasons why the embedded PostgreSQL cannot run, one code per thing that a person can do about it. */
export type EmbeddedPostgresErrorCode =
  /** There are no binaries for this operating system, processor or C library. */
  | "platform_unsupported"
  /** The platform has binaries, but the optional npm package that carries them is not installed. */
  | "binaries_missing"
  /** The home, or a folder that stands in for it, cannot be written. */
  | "home_read_only"
  /** As root: somebody else may change the home, or a folder above it. */
  | "home_shared"
  /** Another broker holds this home. */
  | "home_in_use"
  /** The home is a copy of another one and points to the same database. */
  | "home_copied"
  /** The user that runs the server can no longer reach the data. */
  | "home_unreachable"
  /** No space is left where the data lies. */
  | "disk_full"
  /** As root: there is no unprivileged user to run the server as, or it cannot be switched to. */
  | "server_user"
  /** This process's user id has no name, which initdb insists on. */
  | "user_unknown"
  /** No private folder was found whose path is short enough for a socket. */
  | "socket_folder"
  /** No free port, or the chosen one was taken (where there are no Unix sockets). */
  | "port_unavailable"
  /** The data directory exists but is not a complete cluster, or its password is lost. */
  | "data_damaged"
  /** The home has its data in another major of PostgreSQL, and this version brings no programs that read it. */
  | "other_major"
  /** initdb failed for another reason; `details` holds its output. */
  | "initdb_failed"
  /** The server ended while starting; `details` holds the end of its log. */
  | "start_failed"
  /** The server neither became ready nor ended in time. */
  | "start_timeout";

/** A reason why the embedded PostgreSQL does not run; the message says what is wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = "EmbeddedPostgresError";
  readonly code: EmbeddedPostgresErrorCode;
  /** The output of initdb or of the server, when that is the cause. */
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

/** The advice that always helps, for the end of a sentence. */
export const USE_YOUR_OWN = "set DATABASE_URL to your own PostgreSQL server";

/** Runs `work`, and turns a file system's refusal into the sentence for it; `path` is what was to be written. */
export async function explainingPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainText(path, codeOf(error) ?? "", error) ?? error;
  }
}

/**
 * The sentence for a full or read-only file system, found in an errno or in what a PostgreSQL program printed
 * (they run with untranslated messages); undefined when the text speaks of something else.
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

/** The `code` of a Node or PostgreSQL error. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
