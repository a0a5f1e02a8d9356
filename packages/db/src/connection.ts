import postgres from "postgres";

/** Where a database is: an address, or the parts of one, as the embedded server gives them. */
export type ConnectionTarget =
  | string
  | { host: string; port: number; user: string; database: string; password?: string | undefined };

/**
 * What every connection is told, whatever the server's defaults are (DB-10): an acked write is on disk, and nothing
 * waits for ever.
 */
const sessionParameters = {
  application_name: "merkle",
  synchronous_commit: "on",
  default_transaction_isolation: "read committed" as const,
  timezone: "UTC",
  statement_timeout: 5_000,
  lock_timeout: 2_000,
  idle_in_transaction_session_timeout: 10_000,
};

export interface PoolOptions {
  /** Whether a connection is never renewed, because it holds something. */
  readonly keepOpen?: boolean;
  /** Told in the moment in which a connection closes, whatever the reason. */
  readonly onClose?: () => void;
}

/** A pool of at most `max` connections, opened when they are first needed. */
export function connectPool(
  target: ConnectionTarget,
  max: number,
  { keepOpen = false, onClose = () => undefined }: PoolOptions = {},
): postgres.Sql {
  const options: postgres.Options<Record<string, never>> = {
    max,
    connection: sessionParameters,
    connect_timeout: 5,
    // A server that restarts is back within a second: look often, and spread out.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 0.5) * (0.5 + Math.random() / 2),
    onnotice: () => undefined,
    // The driver asks for the types of arrays after each greeting, and a connection that breaks just then would reject a
    // promise that nobody holds, which ends the process.
    fetch_types: false,
    onclose: onClose,
    ...(keepOpen ? { max_lifetime: null, idle_timeout: 0 } : {}),
  };
  if (typeof target === "string") return postgres(target, options);
  const { password, ...address } = target;
  return postgres({ ...options, ...address, ...(password === undefined ? {} : { password }) });
}
