import type { NewTopicMessage, TopicMessageRow, TopicRow } from "@merkle/db";
import { MerkleError, type Topic, type TopicMessage } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Principal } from "../../identity/principal.js";
import type { MeshContext } from "../../sessions/context.js";
import { readAuthor } from "../../sessions/roster/author.js";
import type { TopicServices } from "./services.js";

/** Converts a topic to its public form. */
export async function toTopic({ sessions }: Pick<TopicServices, "sessions">, row: TopicRow): Promise<Topic> {
  const session = row.sessionId === null ? null : await sessions.find(row.sessionId);
  return {
    topic_id: row.number,
    title: row.title,
    status: row.status,
    session_id: row.sessionId,
    session: session?.slug ?? null,
    source_path: row.path === null ? null : `${row.root}/${row.path}`,
    opened_by: row.openedBy,
    opened_at: row.openedAt.toISOString(),
    closed: toClosed(row),
    anchor:
      row.quote === null
        ? null
        : {
            quote: row.quote,
            prefix: row.prefix,
            suffix: row.suffix,
            version: row.madeAtVersion,
            hash: row.madeAtHash,
          },
    place: toPlace(row),
    messages_count: row.lastSequence,
  };
}

function toClosed({ closedBy, closedAt, closeReason }: TopicRow): Topic["closed"] {
  if (closedBy === null || closedAt === null || closeReason === null) return null;
  return { by: closedBy, at: closedAt.toISOString(), reason: closeReason };
}

/**
 * Returns a topic's position. A topic whose passage was lost has no position, so that nothing is highlighted.
 */
function toPlace({ found, foundAtVersion, foundAtHash, startAt, endAt }: TopicRow): Topic["place"] {
  if (found === null) return null;
  const isLost = found === "lost";
  return {
    found,
    start: isLost ? null : startAt,
    end: isLost ? null : endAt,
    version: foundAtVersion,
    hash: foundAtHash,
  };
}

export function toTopicMessage(row: TopicMessageRow): TopicMessage {
  return {
    sequence: row.sequence,
    by: row.author,
    human: row.authorHuman,
    text: row.text,
    job_id: row.job,
    proposal_id: row.proposal,
    at: row.at.toISOString(),
  };
}

/** The author of a comment: a team of the topic's session, or a person. */
export type TopicAuthor = Pick<NewTopicMessage, "author" | "authorHuman" | "teamId" | "personId">;

/**
 * Returns the caller as the author of a comment.
 *
 * @throws bad_request if a team comments on another session's document
 */
export async function getTopicAuthor(
  ctx: MeshContext<TopicServices>,
  sessionId: string | null,
): Promise<TopicAuthor> {
  const { name: author } = await readAuthor(ctx, sessionId ?? undefined);
  const { team, person } = ctx;
  return team
    ? { author, authorHuman: team.kind === "human", teamId: team.teamId, personId: null }
    : { author, authorHuman: person.verified, teamId: null, personId: person.personId };
}

/** Returns a topic's title: the first non-blank line of its first message. */
export function toTopicTitle(text: string): string {
  const line = text.split(/[\r\n\u2028\u2029]+/u).find((each) => each.trim() !== "") ?? text;
  const chars = [...line.replace(/\p{Cc}+/gu, " ").trim()];
  const { titleCharsMax } = limits;
  return chars.length <= titleCharsMax ? chars.join("") : `${chars.slice(0, titleCharsMax - 1).join("")}…`;
}

/**
 * Returns the topic in `row` if the caller may see it. A job's agent sees only the topics of the job's
 * source.
 *
 * @throws not_found
 */
export function requireTopic(row: TopicRow | null, number: number, principal: Principal | null): TopicRow {
  const isHidden =
    principal?.kind === "job" &&
    (principal.sessionId !== row?.sessionId || principal.sourcePath !== toSourcePath(row));
  if (row && !isHidden) return row;
  throw new MerkleError("not_found", `There is no topic ${number} in this mesh.`, { next: "list_topics" });
}

function toSourcePath({ root, path }: TopicRow): string | null {
  return path === null ? null : `${root}/${path}`;
}
