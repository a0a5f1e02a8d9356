import type { OutputOf } from "@merkle/wire";

export type FeedMessage = OutputOf<"get_history">["messages"][number];

/** A posted message and its outcome, as an A2A task (A2A-3). */
export interface A2aTask {
  readonly id: string;
  readonly contextId: string;
  readonly state: "working" | "completed" | "canceled";
  readonly at: string;
  /**
   * The answer that completed the task, or the latest message while the task is working. Null if there is
   * none.
   */
  readonly latest: FeedMessage | null;
  readonly history: readonly FeedMessage[];
  readonly ownSequence: number;
}

/** Serialises tasks for one revision of the protocol. */
export interface A2aRevision {
  toTask(task: A2aTask): object;
  /** Returns the reply to the request that sent a message. */
  toSendResult(task: A2aTask): object;
  /** Returns one update of a streamed task. */
  toStatusUpdate(task: A2aTask): object;
}

/** A2A 1.0: the JSON form of its protocol buffers. */
const current: A2aRevision = {
  toTask(task) {
    return {
      ...{ id: task.id, contextId: task.contextId, status: toCurrentStatus(task) },
      artifacts: toAnswers(task).map((answer) => ({
        artifactId: answer.id,
        parts: [{ text: toText(answer) }],
      })),
      history: task.history.map((message) => toCurrentMessage(message, task)),
    };
  },
  toSendResult: (task) => ({ task: current.toTask(task) }),
  toStatusUpdate: (task) => ({
    statusUpdate: { taskId: task.id, contextId: task.contextId, status: toCurrentStatus(task) },
  }),
};

/** A2A 0.3: every object has a `kind`, and states and roles are lower case. */
const earlier: A2aRevision = {
  toTask(task) {
    return {
      ...{ kind: "task", id: task.id, contextId: task.contextId, status: toEarlierStatus(task) },
      artifacts: toAnswers(task).map((answer) => ({
        artifactId: answer.id,
        parts: [{ kind: "text", text: toText(answer) }],
      })),
      history: task.history.map((message) => toEarlierMessage(message, task)),
    };
  },
  toSendResult: (task) => earlier.toTask(task),
  toStatusUpdate: (task) => ({
    ...{ kind: "status-update", taskId: task.id, contextId: task.contextId },
    ...{ status: toEarlierStatus(task), final: task.state !== "working" },
  }),
};

/** The supported methods, with their names in each revision (A2A-2). */
export const methods: Readonly<Record<string, { action: "send" | "stream" | "get"; revision: A2aRevision }>> =
  {
    SendMessage: { action: "send", revision: current },
    SendStreamingMessage: { action: "stream", revision: current },
    GetTask: { action: "get", revision: current },
    "message/send": { action: "send", revision: earlier },
    "message/stream": { action: "stream", revision: earlier },
    "tasks/get": { action: "get", revision: earlier },
  };

function toCurrentStatus(task: A2aTask): object {
  return {
    state: `TASK_STATE_${task.state.toUpperCase()}`,
    timestamp: task.at,
    ...(task.latest && { message: toCurrentMessage(task.latest, task) }),
  };
}

function toEarlierStatus(task: A2aTask): object {
  return {
    state: task.state,
    timestamp: task.at,
    ...(task.latest && { message: toEarlierMessage(task.latest, task) }),
  };
}

function toCurrentMessage(message: FeedMessage, task: A2aTask): object {
  return {
    ...toMessageFields(message, task),
    role: isOwn(message, task) ? "ROLE_USER" : "ROLE_AGENT",
    parts: [{ text: toText(message) }],
  };
}

function toEarlierMessage(message: FeedMessage, task: A2aTask): object {
  return {
    kind: "message",
    ...toMessageFields(message, task),
    role: isOwn(message, task) ? "user" : "agent",
    parts: [{ kind: "text", text: toText(message) }],
  };
}

/**
 * Returns the fields of a message, with the author in `metadata`. A session has many agents and people, and
 * A2A has no field for the author.
 */
function toMessageFields(
  { id, sequence, from, to, reply_to }: FeedMessage,
  { contextId, id: taskId }: A2aTask,
): object {
  return {
    messageId: id,
    contextId,
    taskId,
    metadata: { sequence, from, to, ...(reply_to !== undefined && { reply_to }) },
  };
}

function isOwn({ sequence }: FeedMessage, { ownSequence }: A2aTask): boolean {
  return sequence === ownSequence;
}

/** Returns the message's text, or the event's name if the message has no text. */
function toText({ content, event }: FeedMessage): string {
  return typeof content["text"] === "string" ? content["text"] : (event ?? "");
}

function toAnswers({ state, latest }: A2aTask): FeedMessage[] {
  return state === "completed" && latest ? [latest] : [];
}
