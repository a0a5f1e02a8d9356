import { isUuid, MerkleError, type Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findNearest, neutralise } from "@merkle/wire/text";
import type { BrokerClient } from "../broker/broker-client.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import type { Config } from "../settings/config.js";

/**
 * Returns the session that the argument names by slug, id or exact title. Without an argument, uses
 * `MERKLE_SESSION` (CLI-10).
 *
 * @throws CliError `not_found` with the most similar name; `conflict` with the slugs of all sessions that
 * have this title
 */
export async function getSession(
  broker: Pick<BrokerClient, "call">,
  named: string | undefined,
  config: Pick<Config, "session">,
): Promise<Session> {
  const name = named ?? config.session;
  if (name === undefined) throw usageError("Name a session, or set MERKLE_SESSION.", "merkle ls");
  const session = await findSession(broker, name);
  if (session) return session;
  const suggestion = await findNearSession(broker, name);
  const source = named === undefined ? " (MERKLE_SESSION)" : "";
  throw new CliError(
    "not_found",
    `There is no session ${JSON.stringify(neutralise(name))}${source}.${suggestion ? ` Did you mean ${suggestion.slug}?` : ""}`,
    { exitCode: exitCodes.not_found, next: ["merkle ls --state all", "merkle new <title>"] },
  );
}

/**
 * Returns the session with this slug, id or exact title, or null.
 *
 * @throws CliError `conflict` if several sessions have this title
 */
export async function findSession(broker: Pick<BrokerClient, "call">, name: string): Promise<Session | null> {
  return (await findBySlug(broker, name)) ?? (await findByTitle(broker, name));
}

/**
 * Returns the session whose slug or title is most similar to `name`, among the most recently active sessions.
 * Null if no session is similar.
 */
export async function findNearSession(
  broker: Pick<BrokerClient, "call">,
  name: string,
): Promise<Session | null> {
  const { sessions } = await broker.call("list_sessions", { limit: limits.sessionsPageMax });
  const toNames = (session: Session) => [session.slug, session.title.toLowerCase()];
  const near = findNearest(name.toLowerCase().slice(0, limits.titleCharsMax), sessions.flatMap(toNames));
  return sessions.find((session) => near !== undefined && toNames(session).includes(near)) ?? null;
}

async function findBySlug(broker: Pick<BrokerClient, "call">, name: string): Promise<Session | null> {
  // Only a valid slug or id may become part of a request's path.
  if (!isUuid(name) && !/^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(name)) return null;
  if (name.length > limits.slugCharsMax) return null;
  try {
    return await broker.call("get_session", { session_id: name });
  } catch (error) {
    if (error instanceof MerkleError && error.code === "not_found") return null;
    throw error;
  }
}

async function findByTitle(broker: Pick<BrokerClient, "call">, title: string): Promise<Session | null> {
  const matches = await listByTitle(broker, title);
  if (matches.length < 2) return matches[0] ?? null;
  throw new CliError(
    "conflict",
    `${matches.length} sessions have the title ${JSON.stringify(neutralise(title))}. Use the slug of one of them: ${matches.map((each) => each.slug).join(", ")}.`,
    { exitCode: exitCodes.conflict, details: { slugs: matches.map((each) => each.slug) } },
  );
}

async function listByTitle(broker: Pick<BrokerClient, "call">, title: string): Promise<Session[]> {
  const query = title.trim();
  if (query === "" || query.length > limits.titleCharsMax) return [];
  const sessions: Session[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const page = await broker.call("list_sessions", {
      query,
      limit: limits.sessionsPageMax,
      ...(before === undefined ? {} : { before }),
    });
    sessions.push(...page.sessions.filter((each) => each.title === query));
    before = page.next_cursor;
  }
  return sessions;
}

/**
 * Splits the arguments `[session] [text]`. If `MERKLE_SESSION` is set, a single argument is the text, unless
 * a session has that name. In that case the argument is the session, so that text is never posted to the
 * wrong session.
 */
export async function resolveSessionArgument(
  broker: Pick<BrokerClient, "call">,
  [first, second]: readonly string[],
  config: Pick<Config, "session">,
): Promise<{ session: Session; rest: string | undefined }> {
  const isText = first !== undefined && second === undefined && config.session !== undefined;
  if (!isText) return { session: await getSession(broker, first, config), rest: second };
  const named = await findSession(broker, first);
  if (named) return { session: named, rest: undefined };
  return { session: await getSession(broker, undefined, config), rest: first };
}

/**
 * Splits the arguments `[session] <a> <b>`. The session may be left out if `MERKLE_SESSION` is set and
 * exactly the required number of words is given.
 *
 * @throws CliError `usage` if a word is missing
 */
export async function splitSessionArgument(
  broker: Pick<BrokerClient, "call">,
  args: readonly string[],
  { needed, usage, config }: { needed: number; usage: string; config: Pick<Config, "session"> },
): Promise<{ session: Session; words: readonly string[] }> {
  const isNamed = args.length > needed;
  if (!isNamed && (args.length < needed || config.session === undefined)) {
    const expected = usage.match(/<[^>]+>/g) ?? [];
    throw usageError(
      `This command needs ${expected.join(" ")}, got ${args.length} of ${expected.length}.`,
      usage,
    );
  }
  const session = await getSession(broker, isNamed ? args[0] : undefined, config);
  return { session, words: isNamed ? args.slice(1) : args };
}
