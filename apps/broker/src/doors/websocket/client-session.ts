import {
  ClientFrame,
  type CloseReason,
  findOperation,
  limits,
  MerkleError,
  type RequestId,
  type SubscriptionKind,
} from "@merkle/wire";
import type { Services } from "../../context.js";
import type { Subscription } from "../../delivery/subscription.js";
import { dispatch } from "../../dispatch.js";
import { toMerkleError } from "../../to-merkle-error.js";
import type { Connection } from "./connection.js";
import { openSubscription } from "./open-subscription.js";

/** What one client does over its connection: requests under way, and subscriptions. */
export interface ClientSession {
  /** Takes one text frame; a frame that cannot be understood ends the connection. */
  receive(text: string): void;
  /** Requests that are not answered yet. */
  readonly unanswered: number;
  /** Ends everything that is under way. */
  end(): void;
}

type Frame<Type extends ClientFrame["type"]> = Extract<ClientFrame, { type: Type }>;

export function createClientSession(
  services: Services,
  connection: Connection,
  cutOff: (reason: CloseReason) => void,
): ClientSession {
  const gone = new AbortController();
  const waits = new Map<RequestId, AbortController>();
  const subscriptions = new Map<string, Subscription>();
  let unanswered = 0;

  function receive(text: string): void {
    const frame = parseFrame(text);
    if (!frame) return cutOff("bad_frame");
    switch (frame.type) {
      case "ping":
        return connection.send({ type: "reply", id: frame.id, output: {} });
      case "cancel":
        return waits.get(frame.id)?.abort();
      case "unsubscribe":
        return answer(frame.id, () => unsubscribe(frame));
      case "subscribe":
        return answer(frame.id, () => subscribe(frame));
      case "request":
        return answer(frame.id, () => request(frame));
    }
  }

  /** Runs what a frame asks for, and replies with its error if it fails; a success replies by itself. */
  function answer(id: RequestId, work: () => Promise<void>): void {
    if (unanswered >= limits.unansweredRequestsPerConnectionMax) return cutOff("too_many_requests");
    unanswered += 1;
    work()
      .catch((error: unknown) => {
        const { code, message, details } = toMerkleError(error, services.log, { door: "websocket" });
        connection.send({ type: "reply", id, error: { code, message, details } });
      })
      .finally(() => {
        unanswered -= 1;
      });
  }

  async function request({ id, operation: name, input }: Frame<"request">): Promise<void> {
    const operation = findOperation(name);
    if (!operation) throw new MerkleError("not_found", `There is no operation "${name.slice(0, 100)}".`);
    const signal = operation.kind === "wait" ? startWait(id) : gone.signal;
    try {
      const reply = await dispatch(services, {
        operation,
        input,
        door: "websocket",
        view: "json",
        signal,
        connection,
      });
      connection.send({ type: "reply", id, output: reply.output }, () => {
        // A cancelled wait is answered, but nobody takes the answer.
        if (!signal.aborted) reply.written();
      });
    } finally {
      waits.delete(id);
    }
  }

  function startWait(id: RequestId): AbortSignal {
    const wait = new AbortController();
    waits.set(id, wait);
    return wait.signal;
  }

  async function subscribe(frame: Frame<"subscribe">): Promise<void> {
    if (subscriptions.size >= limits.subscriptionsPerConnectionMax) {
      throw new MerkleError(
        "too_many_requests",
        `A connection may have ${limits.subscriptionsPerConnectionMax} subscriptions. End one first, or open another connection.`,
      );
    }
    const opened = await openSubscription(services, frame);
    if (gone.signal.aborted) return;
    const key = keyOf(frame.kind, opened.subscribed.session_id);
    subscriptions.get(key)?.stop();
    connection.send({ type: "reply", id: frame.id, output: opened.subscribed });
    subscriptions.set(key, opened.start(connection));
  }

  async function unsubscribe({ id, kind, session_id }: Frame<"unsubscribe">): Promise<void> {
    const session = await services.sessions.find(session_id);
    if (!session) throw new MerkleError("not_found", `There is no session "${session_id}".`);
    const key = keyOf(kind, session.sessionId);
    subscriptions.get(key)?.stop();
    subscriptions.delete(key);
    connection.send({ type: "reply", id, output: {} });
  }

  return {
    receive,
    get unanswered() {
      return unanswered;
    },
    end() {
      gone.abort();
      for (const wait of waits.values()) wait.abort();
      for (const subscription of subscriptions.values()) subscription.stop();
      subscriptions.clear();
    },
  };
}

function keyOf(kind: SubscriptionKind, sessionId: string): string {
  return `${kind} ${sessionId}`;
}

function parseFrame(text: string): ClientFrame | null {
  try {
    const parsed = ClientFrame.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
