import postgres from "postgres";

/** Where a database is: an address, or the parts of one, as the embedded server gives them. */
export type ConnectionTarget =
  | string
  | { host: string; port: number; user: string; database: string; password?: string | undefined };

/**
 * Parameters that every connection sets, whatever the server's defaults are (DB-10): an acknowledged write is on disk,
 * and nothing waits for ever.
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
  /** Whether a prepared statement is planned anew each time, for the values that it has; else once where PostgreSQL thinks that enough. */
  readonly plansAnew?: boolean;
  /** Told in the moment in which a connection closes, whatever the reason. */
  readonly onClose?: () => void;
  /** Given what is notified to a connection that listens. */
  readonly onNotified?: (payload: string) => void;
}

/** The address without its password. */
export function describeTarget(target: ConnectionTarget): string {
  if (typeof target !== "string") return `${target.host}:${target.port}/${target.database}`;
  try {
    const url = new URL(target);
    return `${url.host}${url.pathname}`;
  } catch {
    return "an address that is not a URL";
  }
}

/** A pool of at most `max` connections, opened when they are first needed. */
export function connectPool(
  target: ConnectionTarget,
  max: number,
  { keepOpen = false, plansAnew = false, onClose = () => undefined, onNotified }: PoolOptions = {},
): postgres.Sql {
  // The driver's types leave `onnotify` out, by which its own `listen` is made.
  const options: postgres.Options<Record<string, never>> & {
    onnotify?: (channel: string, payload: string) => void;
  } = {
    max,
    connection: { ...sessionParameters, ...(plansAnew && { plan_cache_mode: "force_custom_plan" }) },
    connect_timeout: 5,
    // A server that restarts is back within a second: look often, and spread out.
    backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 0.5) * (0.5 + Math.random() / 2),
    onnotice: () => undefined,
    // The driver asks for the types of arrays after each greeting, and a connection that breaks just then would reject a
    // promise that nobody holds, which ends the process.
    fetch_types: false,
    onclose: onClose,
    ...(onNotified && { onnotify: (_channel, payload) => onNotified(payload) }),
    ...(keepOpen ? { max_lifetime: null, idle_timeout: 0 } : {}),
  };
  if (typeof target === "string") return prepareWhatRepeats(postgres(target, options));
  const { password, ...address } = target;
  return prepareWhatRepeats(
    postgres({ ...options, ...address, ...(password === undefined ? {} : { password }) }),
  );
}

/** As many texts as a client has prepared, and as many parameters as they have: a list of each length is a text of its own. */
const preparedMax = { texts: 500, parameters: 40 };

/**
 * The same client, to which a text that comes again is a prepared statement. Drizzle (0.45) asks the driver for none, which then
 * goes to the server twice for each query, once to have it described.
 */
function prepareWhatRepeats(client: postgres.Sql): postgres.Sql {
  const texts = new Set<string>();
  const unsafe: postgres.Sql["unsafe"] = (text, parameters, options) => {
    const prepare = options?.prepare === true || texts.has(text);
    const mayPrepare = texts.size < preparedMax.texts && (parameters?.length ?? 0) <= preparedMax.parameters;
    if (!prepare && mayPrepare) texts.add(text);
    return client.unsafe(text, parameters, { ...options, prepare });
  };
  return new Proxy(client, {
    get: (target, property, receiver) =>
      property === "unsafe" ? unsafe : Reflect.get(target, property, receiver),
  });
}

/**
 * The same client, which refuses to send anything once its connection is lost: the driver (postgres 3.4) would go on with
 * a broken transaction on a new connection, outside of it, and what it writes to one that is reserved, before it has a new
 * one, ends the process.
 */
export function refuseOnceLost(client: postgres.Sql, isLost: () => boolean): postgres.Sql {
  return new Proxy(client, {
    apply(target, self, given) {
      if (isLost()) throw connectionLost();
      return Reflect.apply(target, self, given);
    },
    get(target, property, receiver) {
      if (property === "unsafe" && isLost()) throw connectionLost();
      if (property === "reserve") return async () => refuseOnceLost(await target.reserve(), isLost);
      return Reflect.get(target, property, receiver);
    },
  });
}

/** An error that `isConnectionLost` knows. */
export function connectionLost(): Error {
  return Object.assign(new Error("The connection was lost in the middle of a transaction."), {
    code: "CONNECTION_CLOSED",
  });
}
