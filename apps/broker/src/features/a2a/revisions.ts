import type { OutputOf } from "@merkle/wire";

export type FeedMessage = OutputOf<"get_history">["messages"][number];

/** A posted message and its outcome, as an A2A task (A2A-3). */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly state: "working" | "completed" | "canceled";
  readonly at: string;
  /**
   * The answer that completed the task, or the latest message while the task is working. Null if there is
   * none.
   */
  readonly news: FeedMessage | null;
  readonly history: readonly FeedMessage[];
  readonly own: number;
}

/** Serialises tasks for one revision of the protocol. */
export interface Revision {
  task(task: Task): object;
  /** Returns the reply to the request that sent a message. */
  sent(task: Task): object;
  /** Returns one update of a streamed task. */
  update(task: Task): object;
}

/** A2A 1.0: the JSON form of its protocol buffers. */
const current: Revision = {
  task(task) {
    return {
      ...{ id: task.id, contextId: task.contextId, status: currentStatus(task) },
      artifacts: answersOf(task).map((answer) => ({
        artifactId: answer.id,
        parts: [{ text: textOf(answer) }],
      })),
      history: task.history.map((message) => currentMessage(message, task)),
    };
  },
  sent: (task) => ({ task: current.task(task) }),
  update: (task) => ({
    statusUpdate: { taskId: task.id, contextId: task.contextId, status: currentStatus(task) },
  }),
};

/** A2A 0.3: every object has a `kind`, and states and roles are lower case. */
const earlier: Revision = {
  task(task) {
    return {
      ...{ kind: "task", id: task.id, contextId: task.contextId, status: earlierStatus(task) },
      artifacts: answersOf(task).map((answer) => ({
        artifactId: answer.id,
        parts: [{ kind: "text", text: textOf(answer) }],
      })),
      history: task.history.map((message) => earlierMessage(message, task)),
    };
  },
  sent: (task) => earlier.task(task),
  update: (task) => ({
    ...{ kind: "status-update", taskId: task.id, contextId: task.contextId },
    ...{ status: earlierStatus(task), final: task.state !== "working" },
  }),
};

/** The supported methods, with their names in each revision (A2A-2). */
export const methods: Readonly<Record<string, { does: "send" | "stream" | "get"; revision: Revision }>> = {
  SendMessage: { does: "send", revision: current },
  SendStreamingMessage: { does: "stream", revision: current },
  GetTask: { does: "get", revision: current },
  "message/send": { does: "send", revision: earlier },
  "message/stream": { does: "stream", revision: earlier },
  "tasks/get": { does: "get", revision: earlier },
};

function currentStatus(task: Task): object {
  return {
    state: `TASK_STATE_${task.state.toUpperCase()}`,
    timestamp: task.at,
    ...(task.news && { message: currentMessage(task.news, task) }),
  };
}

function earlierStatus(task: Task): object {
  return {
    state: task.state,
    timestamp: task.at,
    ...(task.news && { message: earlierMessage(task.news, task) }),
  };
}

function currentMessage(message: FeedMessage, task: Task): object {
  return {
    ...fieldsOf(message, task),
    role: isOwn(message, task) ? "ROLE_USER" : "ROLE_AGENT",
    parts: [{ text: textOf(message) }],
  };
}

function earlierMessage(message: FeedMessage, task: Task): object {
  return {
    kind: "message",
    ...fieldsOf(message, task),
    role: isOwn(message, task) ? "user" : "agent",
    parts: [{ kind: "text", text: textOf(message) }],
  };
}

/**
 * Returns the fields of a message, with the author in `metadata`. A session has many agents and people, and
 * A2A has no field for the author.
 */
function fieldsOf(
  { id, sequence, from, to, reply_to }: FeedMessage,
  { contextId, id: taskId }: Task,
): object {
  return {
    messageId: id,
    contextId,
    taskId,
    metadata: { sequence, from, to, ...(reply_to !== undefined && { reply_to }) },
  };
}

function isOwn({ sequence }: FeedMessage, { own }: Task): boolean {
  return sequence === own;
}

/** Returns the message's text, or the event's name if the message has no text. */
function textOf({ content, event }: FeedMessage): string {
  return typeof content["text"] === "string" ? content["text"] : (event ?? "");
}

function answersOf({ state, news }: Task): FeedMessage[] {
  return state === "completed" && news ? [news] : [];
}
