import type { StoredMessage } from "@merkle/db";
import {
  type BrokerFrame,
  type Message,
  redactedBy,
  redactedVersions,
  type SubscriptionKind,
  type SystemEvent,
} from "@merkle/wire";
import { toMessage, withoutSealed } from "../../core/message.js";
import { textFrame } from "./text-frame.js";

/** A message on its way to readers. What readers share is made once, when the first of them needs it. */
export interface Entry {
  readonly sequence: number;
  /** The peer that wrote it, or caused the event. */
  readonly peerId: string | null;
  /** The peers that it is for; null for everyone. */
  readonly reaches: ReadonlySet<string> | null;
  /** Whether it ends a wait that blocks (DELIVER-4). */
  readonly wakes: boolean;
  readonly bytes: number;
  readonly concludes: boolean;
  /** The message that it says was redacted. */
  readonly redacts: number | null;
  /** Whether it says that versions of the document were. */
  readonly redactsDocument: boolean;
  /** As those whom it reaches see it. */
  readonly message: Message;
  /** An inbox brings it to whom it reaches; a follow is anybody's. */
  frame(kind: SubscriptionKind): Buffer;
}

const wakingEvents: ReadonlySet<string | undefined> = new Set<SystemEvent["event"]>([
  "session_concluded",
  "state_changed",
]);

export function toEntry(stored: StoredMessage): Entry {
  const message = toMessage(stored);
  const frames: Partial<Record<SubscriptionKind, Buffer>> = {};
  return {
    sequence: stored.sequence,
    peerId: stored.postedByPeerId,
    reaches: stored.reaches && new Set(stored.reaches),
    wakes: message.type === "chat" ? message.priority !== "low" : wakingEvents.has(message.event),
    bytes: Buffer.byteLength(stored.content) + 400,
    concludes: message.event === "session_concluded",
    redacts: redactedBy(message)?.sequence ?? null,
    redactsDocument: redactedVersions(message) !== null,
    message,
    frame(kind) {
      frames[kind] ??= textFrame(
        JSON.stringify({
          type: "message",
          kind,
          session_id: stored.sessionId,
          message: kind === "follow" ? withoutSealed(message) : message,
        } satisfies BrokerFrame),
      );
      return frames[kind];
    },
  };
}
