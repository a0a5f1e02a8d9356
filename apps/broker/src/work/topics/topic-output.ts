import type { TopicMessageRow, TopicRow } from "@merkle/db";
import type { Topic, TopicMessage } from "@merkle/wire";
import type { TopicServices } from "./services.js";

/** A topic as callers see it. */
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

/** Where a lost one was found last is nothing that anybody should mark. */
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
