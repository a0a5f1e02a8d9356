import * as z from "zod";
import type { Message } from "./message.js";
import { Epoch, Sequence, SessionRef, TeamCredential } from "./values.js";

/** The revision of these frames; a client that knows only another one says so and ends. */
export const protocolVersion = 1;

const RequestId = z.union([z.string().min(1).max(100), z.int()]);
export type RequestId = z.output<typeof RequestId>;

/** Which of a session's messages a subscription brings: mine, to be acknowledged, or the whole feed for an onlooker. */
export const SubscriptionKind = z.enum(["inbox", "follow"]);
export type SubscriptionKind = z.output<typeof SubscriptionKind>;

/** What a client sends over `/ws` (WS-1). Each has an id of the client's, which the reply repeats. */
export const ClientFrame = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("request"), id: RequestId, operation: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal("cancel"), id: RequestId }),
  z.strictObject({
    type: z.literal("subscribe"),
    id: RequestId,
    kind: SubscriptionKind,
    session_id: SessionRef,
    team_id: TeamCredential.optional().meta({ description: "Needed for an inbox." }),
    after: Sequence.optional().meta({
      description: "Follow from after this message; an inbox starts where it was acknowledged.",
    }),
    epoch: Epoch.optional(),
  }),
  z.strictObject({
    type: z.literal("unsubscribe"),
    id: RequestId,
    kind: SubscriptionKind,
    session_id: SessionRef,
  }),
  z.strictObject({ type: z.literal("ping"), id: RequestId }),
]);
export type ClientFrame = z.output<typeof ClientFrame>;

/**
 * What the broker sends (WS-2): one hello, a reply to each request, and pushes. A reply has either `output` or `error`.
 * Messages of one subscription come in the feed's order, each once; `changed` is a hint that a read would now differ.
 */
export type BrokerFrame =
  | {
      type: "hello";
      protocol: number;
      version: string;
      epoch: string;
      /** The broker sends something at least this often; silence for twice as long means that it is gone. */
      heartbeat_ms: number;
    }
  | { type: "reply"; id: RequestId; output: unknown }
  | {
      type: "reply";
      id: RequestId;
      error: { code: string; message: string; details: Record<string, unknown> };
    }
  | { type: "message"; kind: SubscriptionKind; session_id: string; message: Message }
  | { type: "changed"; kind: ChangedKind; session_id: string; version: number }
  | { type: "heartbeat" };

export type ChangedKind = "document" | "roster" | "session";

/** The output of a `subscribe` frame: messages with a higher sequence than `after` follow. */
export interface Subscribed {
  readonly session_id: string;
  readonly after: number;
  readonly last_sequence: number;
  readonly epoch: string;
}
