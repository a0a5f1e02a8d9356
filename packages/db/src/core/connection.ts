import postgres from "postgres";

/** The address of a database, either as a URL or as separate fields, which the embedded server provides. */
export type ConnectionTarget =
  | string
  | { host: string; port: number; user: string; database: string; password?: string | undefined };

/**
 * Parameters set on every connection, whatever the server's defaults (DB-10). They ensure that an
 * acknowledged write is on disk and that no statement waits forever.
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

const planParameters = {
  /** Plans a statement for its parameter values on each execution. */
  custom: { plan_cache_mode: "force_custom_plan" },
  /**
   * Plans a statement once, to use indexes: on a fresh database, before the first ANALYZE, the planner would
   * otherwise scan.
   */
  generic: {
    plan_cache_mode: "force_generic_plan",
    enable_hashjoin: "off",
    enable_mergejoin: "off",
    enable_seqscan: "off",
  },
};

export interface PoolOptions {
  /**
   * True to keep connections open regardless of age or inactivity, because session state such as a lock
   * depends on them.
   */
  readonly keepOpen?: boolean;
  /** How prepared statements are planned. By default, PostgreSQL decides after a few executions. */
  readonly plans?: keyof typeof planParameters;
  /** Called as soon as a connection closes, for any reason. */
  readonly onClose?: () => void;
  /** Called with each notification that a listening connection receives. */
  readonly onNotified?: (payload: string) => void;
}

/** Returns the database's address without its password. */
export function describeTarget(target: ConnectionTarget): string {
  if (typeof target !== "string") return `${target.host}:${target.port}/${target.database}`;
  try {
    const url = new URL(target);
    return `${url.host}${url.pathname}`;
  } catch {
    return "an address that is not a URL";
  }
}

/** Creates a pool of at most `max` connections, opened on first use. */
export function connectPool(
  target: ConnectionTarget,
  max: number,
  { keepOpen = false, plans, onClose = () => undefined, onNotified }: PoolOptions = {},
): postgres.Sql {
  // The driver's types omit `onnotify`, which its own `listen` uses.
  const options: postgres.Options<Record<string, never>> & {
    onnotify?: (channel: string, payload: string) => void;
  } = {
    max,
    connection: { ...sessionParameters, ...(plans && planParameters[plans]) },
    connect_timeout: 5,
    // A server that restarts is back within a second, so the driver retries often, with jitter.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 0.5) * (0.5 + Math.random() / 2),
    onnotice: () => undefined,
    // With this option on, the driver queries the array types after each connect. If a connection broke at
    // that moment, an unhandled rejection would end the process.
    fetch_types: false,
    onclose: onClose,
    ...(onNotified && { onnotify: (_channel, payload) => onNotified(payload) }),
    ...(keepOpen ? { max_lifetime: null, idle_timeout: 0 } : {}),
  };
  if (typeof target === "string") return withPreparedStatements(postgres(target, options));
  const { password, ...address } = target;
  return withPreparedStatements(
    postgres({ ...options, ...address, ...(password === undefined ? {} : { password }) }),
  );
}

/**
 * Maximum number of statements that a client prepares, and maximum number of parameters per statement. A
 * statement with a list parameter counts once for each length of the list.
 */
const preparedMax = { texts: 500, parameters: 40 };

/**
 * Wraps the client so that a statement is prepared when it is sent a second time. Drizzle (0.45) never asks
 * the driver to prepare, so each query would take two round trips, one just to describe it.
 */
function withPreparedStatements(client: postgres.Sql): postgres.Sql {
  const texts = new Set<string>();
  const unsafe: postgres.Sql["unsafe"] = (text, parameters, options) => {
    const shouldPrepare = options?.prepare === true || texts.has(text);
    const canPrepare = texts.size < preparedMax.texts && (parameters?.length ?? 0) <= preparedMax.parameters;
    if (!shouldPrepare && canPrepare) texts.add(text);
    return client.unsafe(text, parameters, { ...options, prepare: shouldPrepare });
  };
  return new Proxy(client, {
    get: (target, property, receiver) =>
      property === "unsafe" ? unsafe : Reflect.get(target, property, receiver),
  });
}

/**
 * Wraps the client so that it refuses to send anything once its connection is lost. The driver (postgres 3.4)
 * would continue a broken transaction on a new connection, where each statement would commit by itself.
 * Writing to a reserved connection before the reconnect would end the process.
 */
export function withLossCheck(client: postgres.Sql, isLost: () => boolean): postgres.Sql {
  return new Proxy(client, {
    apply(target, self, args) {
      if (isLost()) throw connectionLost();
      return Reflect.apply(target, self, args);
    },
    get(target, property, receiver) {
      if (property === "unsafe" && isLost()) throw connectionLost();
      if (property === "reserve") return async () => withLossCheck(await target.reserve(), isLost);
      return Reflect.get(target, property, receiver);
    },
  });
}

/** Creates an error that `isConnectionLost` recognises. */
export function connectionLost(): Error {
  return Object.assign(new Error("The connection was lost in the middle of a transaction."), {
    code: "CONNECTION_CLOSED",
  });
}
