import { findTopic, listTopicMessages, listTopicRows, type SourceColumns } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import { requireOwnSource, requireSourcePath, toFile } from "../sources/feature.js";
import { placeFileTopics } from "./place-topics.js";
import type { TopicServices } from "./services.js";
import { requireTopic, toTopic, toTopicMessage } from "./topic.js";

type ListTopicsInput = ParsedInputOf<"list_topics">;

/**
 * Lists the topics about a session's document or a file, newest first, with their last known positions
 * (TOPIC-2).
 */
export async function listTopics(
  ctx: Context<TopicServices>,
  input: ListTopicsInput,
): Promise<OutputOf<"list_topics">> {
  const { services } = ctx;
  const { status, before, limit } = input;
  const { orm, meshId } = services.database;
  const source = await findSource(ctx, input);
  const rows = await listTopicRows(orm, meshId, source, { status, before, limit: limit + 1 });
  const page = rows.slice(0, limit);
  // Schedules an update in case notifications were lost or another broker changed the document.
  if (source.path === null && page.some((row) => row.status === "open" && row.quote !== null))
    services.anchorer.schedule({ meshId, sessionId: source.sessionId });
  return {
    topics: await Promise.all(page.map((row) => toTopic(services, row))),
    next_before: rows.length > limit ? (page.at(-1)?.number ?? null) : null,
  };
}

/**
 * Finds the source whose topics are requested. If it is a file, first updates the positions of its
 * topics.
 */
async function findSource(
  { services, principal }: Context<TopicServices>,
  { session_id, source_path }: ListTopicsInput,
): Promise<SourceColumns> {
  if (source_path === undefined) {
    const { sessionId } = await requireSession(services, session_id ?? "", principal);
    return { sessionId, root: null, path: null };
  }
  requireOwnSource(principal, source_path);
  const file = requireSourcePath(source_path);
  try {
    await placeFileTopics(services, file);
  } catch (error) {
    // The topics of a deleted file can still be listed.
    if (!(error instanceof MerkleError)) throw error;
  }
  return toFile(file);
}

/** Returns a topic and a page of its messages, oldest first (TOPIC-3). */
export async function getTopic(
  { services, principal }: Context<TopicServices>,
  { topic_id, after }: ParsedInputOf<"get_topic">,
): Promise<OutputOf<"get_topic">> {
  const { orm, meshId } = services.database;
  const key = { meshId, number: topic_id };
  const topic = requireTopic(await findTopic(orm, key), topic_id, principal);
  const limit = limits.topicMessagesPageMax;
  const rows = await listTopicMessages(orm, key, { after, limit: limit + 1 });
  const page = rows.slice(0, limit);
  return {
    ...(await toTopic(services, topic)),
    messages: page.map(toTopicMessage),
    next_after: rows.length > limit ? (page.at(-1)?.sequence ?? null) : null,
  };
}
