import type { Session } from "@merkle/wire";
import { usageError } from "./cli-error.js";

/**
 * The broker's base, from an address that may also be an MCP endpoint (SET-3): `http://host:7423`, `…/mcp` and `…/api/mcp`
 * are one broker. A path in front of these, as a proxy may add one, is kept; a query is dropped.
 *
 * @param source - where the address stands, for the sentence about a bad one
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

/** Whether a host is this machine by its very name. An IPv6 address may stand in the brackets that it has in a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/** The page of a session in the dashboard; without one, the first page. */
export function toDashboardUrl(base: string, session: Pick<Session, "slug"> | undefined): string {
  return session === undefined ? `${base}/` : `${base}/sessions/${session.slug}`;
}

/**
 * The address of a PostgreSQL of the user's own, or of its replica; an empty one names none. It is never repeated: it may hold a password.
 *
 * @param source - what names it, for people
 * @throws CliError `usage` for anything else
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
 * The bus that a broker and others on its database hear of each other by; undefined for none but itself. An address is never
 * repeated: it may hold a password.
 *
 * @param source - what names it, for people
 * @throws CliError `usage` for anything else
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
