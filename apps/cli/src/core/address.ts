import type { Session } from "@merkle/wire";
import { usageError } from "./cli-error.js";

/**
 * Returns the broker's base address. The input may also be an MCP endpoint (SET-3): `http://host:7423`,
 * `…/mcp` and `…/api/mcp` refer to the same broker. Keeps a path prefix, such as one added by a proxy, and
 * drops a query.
 *
 * @param source - where the address comes from, for error messages
 */
export function toBaseUrl(address: string, source: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw usageError(
      `${source} must be the broker's address, such as http://localhost:7423, got ${JSON.stringify(address)}.`,
    );
  }
  if (url.username || url.password) throw usageError(`${source} must not contain a user name or a password.`);
  const path = url.pathname.replace(/\/+$/, "").replace(/(?:\/api)?\/mcp$/, "");
  return `${url.protocol}//${url.host}${path}`;
}

/**
 * Returns whether the host name always refers to this machine. An IPv6 address may be in brackets, as in a
 * URL.
 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/**
 * Returns the address of a session's page in the dashboard, or of the dashboard's first page if no session is
 * given.
 */
export function toDashboardUrl(base: string, session: Pick<Session, "slug"> | undefined): string {
  return `${base}${session === undefined ? "/" : toSessionPath(session)}`;
}

/** Returns the path of a session's page in the dashboard, or of one of its parts, such as `doc`. */
export function toSessionPath({ slug }: Pick<Session, "slug">, part?: string): string {
  return `/sessions/${slug}${part === undefined ? "" : `/${part}`}`;
}

/**
 * Returns the address of the user's own PostgreSQL or of its replica. Undefined if the text is empty. Errors
 * do not repeat the address, because it may contain a password.
 *
 * @param source - where the address comes from, for error messages
 * @throws CliError `usage` for an invalid address
 */
export function parseDatabaseUrl(text: string | undefined, source: string): string | undefined {
  if (!text) return undefined;
  if (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol)) return text;
  const [variable = ""] = source.split(" ");
  const without = variable === "DATABASE_URL" ? "use the embedded PostgreSQL" : "read from the primary";
  throw usageError(
    `${source} must be an address such as postgres://user:password@host:5432/database. Correct it, or unset it to ${without}.`,
    ...(source === variable ? [] : [`an empty ${variable} in the environment, which comes first`]),
  );
}

/**
 * Returns the bus that brokers on one database use to notify each other. Undefined for a single broker.
 * Errors do not repeat the address, because it may contain a password.
 *
 * @param source - where the value comes from, for error messages
 * @throws CliError `usage` for an invalid value
 */
export function parseBus(text: string | undefined, source: string): string | undefined {
  if (!text || text === "local") return undefined;
  if (text === "postgres") return text;
  if (URL.canParse(text) && /^(?:nats|tls):$/.test(new URL(text).protocol) && new URL(text).host !== "")
    return text;
  throw usageError(
    `${source} must be local, postgres, or the address of a NATS server such as nats://user:password@host:4222.`,
  );
}
