import { findReplies, listTaskEvents, readFeedPart } from "@merkle/db";
import type { Message, Task } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { parseContent, toMessage, withoutSealed } from "../../core/message.js";
import type { TeamContext } from "../../sessions/context.js";
import type { TaskServices } from "./services.js";

const eventsMax = 100;

/**
 * Reads the last messages about a task, oldest first: the messages that it links, all replies to those and to the
 * task's events, and the events that give a reason (TASK-15).
 */
export async function readThread(ctx: TeamContext<TaskServices>, { task, links }: Task): Promise<Message[]> {
  const { orm } = ctx.services.database;
  const { sessionId } = ctx.session;
  const events = await listTaskEvents(orm, { sessionId, number: task }, eventsMax);
  const linked = links.flatMap((link) => ("message" in link ? link.message : []));
  const replies = await findReplies(orm, sessionId, [...linked, ...events.map(({ sequence }) => sequence)]);
  const withoutReason = new Set(
    events.filter(({ content }) => !("reason" in parseContent(content))).map(({ sequence }) => sequence),
  );
  const thread = replies.filter((each) => !withoutReason.has(each) || linked.includes(each));
  if (thread.length === 0) return [];
  const { messages } = await readFeedPart(
    orm,
    sessionId,
    { after: Math.min(...thread) - 1, upTo: Math.max(...thread) },
    "backward",
    { includesPlain: true, kinds: ["ask", "decision", "task_changed"], thread },
    { messagesMax: limits.taskThreadMessagesMax, bytesMax: limits.taskThreadBytesMax },
  );
  return messages.map((message) => withoutSealed(toMessage(message)));
}
