import { type InputOf, isUuid, MerkleError, type OperationName, type OutputOf } from "@merkle/wire";
import * as z from "zod";
import type { FeedMessage, Task } from "./revisions.js";

/** Calls an operation with the identity of the A2A client. */
export type Call = <Name extends OperationName>(name: Name, input: InputOf<Name>) => Promise<OutputOf<Name>>;

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
  call: Call,
  { tenant, message }: z.output<typeof SendParams>,
  session: string | null,
): Promise<Task> {
  // Protocol buffers send unset fields as empty strings.
  const named = message.contextId || session || tenant;
  if (!named) {
    throw new MerkleError(
      "bad_request",
      "contextId is missing: pass the id or slug of the session, or use the address in the session's own agent card.",
    );
  }
  const repliesTo = message.taskId || message.referenceTaskIds?.[0];
  const { to } = message.metadata ?? {};
  const posted = await call("post_message", {
    session_id: named,
    content: { text: textIn(message.parts) },
    // The operation validates the recipients.
    ...(to !== undefined && { to: to as string }),
    ...(repliesTo && { reply_to: parseTaskId(repliesTo).sequence }),
    idempotency_key: `a2a ${message.messageId}`,
  });
  const { messages } = await call("get_history", {
    session_id: named,
    after_cursor: posted.cursor - 1,
    limit: 1,
  });
  const [own] = messages;
  if (!own) throw new TypeError("The posted message was not found in the feed.");
  return {
    ...{ id: `${own.session_id}.${own.sequence}`, contextId: own.session_id, state: "working" },
    ...{ at: own.posted_at, news: null, history: [own], own: own.sequence },
  };
}

/**
 * Yields the task after each new message to the team, until the answer or the end of the session (A2A-4).
 * Reads the feed as `wait_for_messages` does: no message is missed, and a message that may not have arrived
 * is delivered again.
 */
export async function* followTask(call: Call, task: Task, secondsMax: number): AsyncGenerator<Task> {
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
    const said = messages.filter(({ type }) => type === "chat");
    const answer = said.find(({ reply_to }) => reply_to === task.own);
    for (const message of said) {
      current = { ...current, at: message.posted_at, news: message, history: [...current.history, message] };
      // The last update must be the one that ends the task, so messages that arrived with the answer are
      // yielded first.
      if (message !== answer || message !== said.at(-1)) yield current;
    }
    if (!answer && !session_closed) continue;
    yield answer
      ? { ...current, state: "completed", news: answer }
      : { ...current, state: "canceled", news: null };
    return;
  }
}

/** Reads a task from the feed: the message that started it, and the replies to it. */
export async function readTask(call: Call, id: string): Promise<Task> {
  const { sessionId, sequence } = parseTaskId(id);
  let task: Task | null = null;
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
      task = withLater(task, message);
    }
    after = newer_cursor;
  }
  if (!task) throw noSuchTask(id);
  return task;
}

/** Maximum number of pages of 500 messages that are searched for an answer. */
const pagesMax = 20;

/** Returns the task with only the last `length` messages of its history. */
export function withHistory(task: Task, length: number | undefined): Task {
  return length === undefined ? task : { ...task, history: length === 0 ? [] : task.history.slice(-length) };
}

function beginTask(id: string, message: FeedMessage, sequence: number): Task {
  if (message.sequence !== sequence || message.type !== "chat") throw noSuchTask(id);
  return {
    ...{ id, contextId: message.session_id, state: "working", at: message.posted_at },
    ...{ news: null, history: [message], own: sequence },
  };
}

function withLater(task: Task, message: FeedMessage): Task {
  const { posted_at: at, reply_to, event } = message;
  if (reply_to === task.own)
    return { ...task, at, state: "completed", news: message, history: [...task.history, message] };
  return event === "session_concluded" ? { ...task, at, state: "canceled" } : task;
}

function textIn(parts: z.output<typeof SendParams>["message"]["parts"]): string {
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
