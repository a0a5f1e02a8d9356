import { type InputOf, isUuid, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import * as z from "zod";
import type { A2aTask, FeedMessage } from "./revisions.js";

/** Calls an operation with the identity of the A2A client. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
) => Promise<OutputOf<Name>>;

/** The supported fields of a message, the same in both revisions. Other fields are ignored. */
export const SendParams = z.object({
  tenant: z.string().optional(),
  message: z.object({
    messageId: z.string().min(1).max(150),
    contextId: z.string().optional(),
    taskId: z.string().optional(),
    referenceTaskIds: z.array(z.string()).optional(),
    parts: z.array(z.object({ text: z.string().optional() })).min(1),
    metadata: z.object({ to: z.unknown() }).partial().nullish(),
  }),
  configuration: z
    .object({
      historyLength: z.int().min(0).optional(),
      // `returnImmediately` exists in A2A 1.0. A2A 0.3 has its opposite, `blocking`.
      returnImmediately: z.boolean().optional(),
      blocking: z.boolean().optional(),
    })
    .nullish(),
});

export const GetParams = z.object({ id: z.string(), historyLength: z.int().min(0).optional() });

/**
 * Posts a message and returns the task that it starts (A2A-3). A message that is sent several times is posted
 * only once.
 */
export async function postTask(
  call: CallOperation,
  { tenant, message }: z.output<typeof SendParams>,
  session: string | null,
): Promise<A2aTask> {
  // Protocol buffers send unset fields as empty strings.
  const sessionRef = message.contextId || session || tenant;
  if (!sessionRef) {
    throw new MerkleError(
      "bad_request",
      "contextId is missing: pass the id or slug of the session, or use the address in the session's own agent card.",
    );
  }
  const repliesTo = message.taskId || message.referenceTaskIds?.[0];
  const { to } = message.metadata ?? {};
  const posted = await call("post_message", {
    session_id: sessionRef,
    content: { text: joinTextParts(message.parts) },
    // The operation validates the recipients.
    ...(to !== undefined && { to: to as string }),
    ...(repliesTo && { reply_to: parseTaskId(repliesTo).sequence }),
    idempotency_key: `a2a ${message.messageId}`,
  });
  const { messages } = await call("get_history", {
    session_id: sessionRef,
    after_cursor: posted.cursor - 1,
    limit: 1,
  });
  const [own] = messages;
  if (!own) throw new TypeError("The posted message was not found in the feed.");
  return {
    ...{ id: `${own.session_id}.${own.sequence}`, contextId: own.session_id, state: "working" },
    ...{ at: own.posted_at, latest: null, history: [own], ownSequence: own.sequence },
  };
}

/**
 * Yields the task after each new message to the team, until the answer or the end of the session (A2A-4).
 * Reads the feed as `wait_for_messages` does: no message is missed, and a message that may not have arrived
 * is delivered again.
 */
export async function* followTask(
  call: CallOperation,
  task: A2aTask,
  secondsMax: number,
): AsyncGenerator<A2aTask> {
  const until = performance.now() + 1_000 * secondsMax;
  let current = task;
  let cursor: number | undefined;
  for (;;) {
    const timeout = (until - performance.now()) / 1_000;
    if (timeout <= 0) return;
    const { messages, next_cursor, session_closed } = await call("wait_for_messages", {
      session_id: task.contextId,
      timeout: Math.min(timeout, 25),
      ...(cursor !== undefined && { since_cursor: cursor }),
    });
    cursor = next_cursor;
    const chatMessages = messages.filter(({ type }) => type === "chat");
    const answer = chatMessages.find(({ reply_to }) => reply_to === task.ownSequence);
    for (const message of chatMessages) {
      current = {
        ...current,
        at: message.posted_at,
        latest: message,
        history: [...current.history, message],
      };
      // The last update must be the one that ends the task, so messages that arrived with the answer are
      // yielded first.
      if (message !== answer || message !== chatMessages.at(-1)) yield current;
    }
    if (!answer && !session_closed) continue;
    yield answer
      ? { ...current, state: "completed", latest: answer }
      : { ...current, state: "canceled", latest: null };
    return;
  }
}

/** Reads a task from the feed: the message that started it, and the replies to it. */
export async function readTask(call: CallOperation, id: string): Promise<A2aTask> {
  const { sessionId, sequence } = parseTaskId(id);
  let task: A2aTask | null = null;
  let after: number | null = sequence - 1;
  for (let page = 0; after !== null && page < pagesMax; page += 1) {
    const { messages, newer_cursor }: OutputOf<"get_history"> = await call("get_history", {
      session_id: sessionId,
      after_cursor: after,
      limit: 500,
    });
    for (const message of messages) {
      task ??= beginTask(id, message, sequence);
      if (task.state !== "working") return task;
      task = advanceTask(task, message);
    }
    after = newer_cursor;
  }
  if (!task) throw noSuchTask(id);
  return task;
}

/** Maximum number of pages of 500 messages that are searched for an answer. */
const pagesMax = 20;

/** Returns the task with only the last `length` messages of its history. */
export function withHistory(task: A2aTask, length: number | undefined): A2aTask {
  return length === undefined ? task : { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}

function beginTask(id: string, message: FeedMessage, sequence: number): A2aTask {
  if (message.sequence !== sequence || message.type !== "chat") throw noSuchTask(id);
  return {
    ...{ id, contextId: message.session_id, state: "working", at: message.posted_at },
    ...{ latest: null, history: [message], ownSequence: sequence },
  };
}

function advanceTask(task: A2aTask, message: FeedMessage): A2aTask {
  const { posted_at: at, reply_to, event } = message;
  if (reply_to === task.ownSequence)
    return { ...task, at, state: "completed", latest: message, history: [...task.history, message] };
  return event === "session_concluded" ? { ...task, at, state: "canceled" } : task;
}

function joinTextParts(parts: z.output<typeof SendParams>["message"]["parts"]): string {
  const texts = parts.flatMap(({ text }) => text ?? []);
  if (texts.length === parts.length) return texts.join("\n\n");
  throw new MerkleError(
    "bad_request",
    "Only text messages are supported: each part must be text, not a file or data.",
    {
      a2a: -32005,
    },
  );
}

function parseTaskId(id: string): { sessionId: string; sequence: number } {
  const [, sessionId = "", digits = ""] = /^([^.]+)\.([1-9]\d{0,14})$/.exec(id) ?? [];
  if (!isUuid(sessionId)) throw noSuchTask(id);
  return { sessionId, sequence: Number(digits) };
}

function noSuchTask(id: string): MerkleError {
  return new MerkleError("not_found", `There is no task ${JSON.stringify(id.slice(0, 100))}.`, {
    a2a: -32001,
  });
}
