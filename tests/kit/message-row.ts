import { randomBytes, randomUUID } from "node:crypto";
import { type MessageRow, messageRowDefaults } from "@merkle/db";
import type postgres from "postgres";

/** Returns a chat message for the appender, with the given changes. */
export function makeRow(sessionId: string, changes: Partial<MessageRow> = {}): MessageRow {
  return {
    ...messageRowDefaults,
    session_id: sessionId,
    id: randomUUID(),
    type: "chat",
    team_id: randomUUID(),
    peer_id: randomUUID(),
    author_team: "Atlas",
    content: '{"text":"hello"}',
    salt: randomBytes(16).toString("hex"),
    ...changes,
  };
}

export interface FeedOptions {
  readonly closed?: boolean;
  readonly held?: boolean;
  readonly budget?: number;
}

/** Creates only the feed of a session, without its other rows. Returns the session's id. */
export async function openFeed(
  sql: postgres.Sql,
  { closed = false, held = false, budget = 0 }: FeedOptions = {},
): Promise<string> {
  const sessionId = randomUUID();
  const now = new Date();
  await sql`
    INSERT INTO feeds (session_id, closed_at, held_at, message_budget)
    VALUES (${sessionId}, ${closed ? now : null}, ${held ? now : null}, ${budget})`;
  return sessionId;
}
