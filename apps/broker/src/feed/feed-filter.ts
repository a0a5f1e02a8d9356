import { type FeedFilter, findTeamId, findThread, type Queryable } from "@merkle/db";
import { eventNames, MerkleError, type ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import type { FeedServices } from "./services.js";

type FilterInput = Pick<ParsedInputOf<"get_history">, "types" | "kinds" | "team" | "q" | "thread">;

/**
 * Returns the filter that a reader has requested for a feed, or null if the reader wants all
 * messages.
 *
 * @throws not_found for a team that was never in the session
 */
export async function toFeedFilter(
  { session }: SessionContext<FeedServices>,
  db: Queryable,
  { types, kinds, team, q, thread }: FilterInput,
): Promise<FeedFilter | null> {
  if ([types, kinds, team, q, thread].every((option) => option === undefined)) return null;
  const isChatWanted = types?.includes("chat") ?? true;
  const isWanted = (kind: "plain" | "ask" | "decision") => isChatWanted && (kinds?.includes(kind) ?? true);
  return {
    includesPlain: isWanted("plain"),
    kinds: [
      ...(["ask", "decision"] as const).filter(isWanted),
      ...((types?.includes("system") ?? true) ? eventNames : []),
    ],
    teamId: team === undefined ? undefined : await requireTeamId(session, db, team),
    text: q,
    thread: thread === undefined ? undefined : await findThread(db, session.sessionId, thread),
  };
}

/**
 * Returns the id of a team by which a reader filters.
 *
 * @throws not_found for a team that was never in the session
 */
export async function requireTeamId(
  { sessionId, slug }: SessionContext<FeedServices>["session"],
  db: Queryable,
  team: string,
): Promise<string> {
  const teamId = await findTeamId(db, sessionId, team);
  if (teamId !== null) return teamId;
  throw new MerkleError("not_found", `No team "${team}" was ever in the session "${slug}".`, {
    next: "list_participants",
  });
}
