import { usageError } from "./cli-error.js";

/**
 * The address of a PostgreSQL of the user's own; an empty one names none. It is never repeated: it may hold a password.
 *
 * @param source - what names it, for people
 * @throws CliError `usage` for anything else
 */
export function parseDatabaseUrl(text: string | undefined, source: string): string | undefined {
  if (!text) return undefined;
  if (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol)) return text;
  throw usageError(
    `${source} must be an address such as postgres://user:password@host:5432/database. Correct it, or unset it to use the embedded PostgreSQL.`,
    ...(source === "DATABASE_URL" ? [] : ["an empty DATABASE_URL in the environment, which comes first"]),
  );
}
