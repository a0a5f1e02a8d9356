import * as z from "zod";
import { Epoch, Sequence, SessionRef, TeamCredential, Uuid } from "../core/values.js";
import type { MeshChangedKind } from "../feed/event-kind.js";
import type { Message } from "../feed/message.js";
import { HelloProof } from "../identity/hello-proof.js";
import { WakePath } from "../operations/peers.js";
import type { AnswerType } from "./frame-aliases.js";

/** Revision of these frames. A client that only supports another revision reports that and stops. */
export const protocolVersion = 1;

export const RequestId = z.union([z.string().min(1).max(100), z.int()]);
export type RequestId = z.output<typeof RequestId>;

/**
 * The messages that a subscription delivers. `inbox`: the subscriber's own messages, to be acknowledged.
 * `follow`: the whole feed, for an observer.
 */
export const SubscriptionKind = z.enum(["inbox", "follow"]);
export type SubscriptionKind = z.output<typeof SubscriptionKind>;

/**
 * The frames that a client sends over `/ws` (WS-1). The client chooses their ids, and replies repeat them.
 */
export const ClientFrame = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("hello"),
    id: RequestId,
    mesh: z.string().min(1).max(100).optional().meta({
      description: "Mesh name or id (default: the mesh of the proof, otherwise the broker's first).",
    }),
    proof: HelloProof.optional().meta({ description: "Required unless the broker's hello says `open`." }),
  }),
  z.strictObject({ type: z.literal("request"), id: RequestId, operation: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal("cancel"), id: RequestId }),
  z.strictObject({
    type: z.literal("subscribe"),
    id: RequestId,
    kind: SubscriptionKind,
    session_id: SessionRef,
    team_id: TeamCredential.optional().meta({ description: "Needed for an inbox." }),
    after: Sequence.optional().meta({
      description: "Start after this message; an inbox starts after its last acknowledged message.",
    }),
    epoch: Epoch.optional(),
  }),
  z.strictObject({
    type: z.literal("unsubscribe"),
    id: RequestId,
    kind: SubscriptionKind,
    session_id: SessionRef,
  }),
  z.strictObject({
    type: z.literal("watch_mesh"),
    id: RequestId,
    team_id: TeamCredential.optional().meta({
      description: "A person's credential: then also what that person has read, snoozed or dismissed.",
    }),
  }),
  z.strictObject({ type: z.literal("unwatch_mesh"), id: RequestId }),
  z.strictObject({ type: z.literal("ping"), id: RequestId }),
  z.strictObject({ type: z.literal("nudged"), id: Uuid, reached: z.array(WakePath).max(10) }),
]);
export type ClientFrame = z.output<typeof ClientFrame>;

const frameTypes: ReadonlySet<string> = new Set(ClientFrame.options.map(({ shape }) => shape.type.value));

/** A well-formed frame of an unknown type: an alias (WS-14), or a frame of another revision. */
export interface ForeignFrame {
  readonly type: "foreign";
  readonly name: string;
  readonly id: RequestId | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses a frame whose type is not in {@link ClientFrame}. Returns null if it is malformed (WS-7). */
export function readForeignFrame(frame: unknown): ForeignFrame | null {
  if (typeof frame !== "object" || frame === null || Array.isArray(frame)) return null;
  const { type, id = null, ...fields }: { type?: unknown; id?: unknown } = frame;
  if (typeof type !== "string" || frameTypes.has(type)) return null;
  if (id === null) return { type: "foreign", name: type, id, fields };
  const named = RequestId.safeParse(id);
  return named.success ? { type: "foreign", name: type, id: named.data, fields } : null;
}

/**
 * The frames that the broker sends (WS-2): one hello, a reply to each request, and pushes. A reply has either
 * `output` or `error`. Each subscription delivers its messages in feed order and once. `changed` is a hint
 * that a read would return something new.
 */
export type BrokerFrame =
  | {
      type: "hello";
      protocol: number;
      version: string;
      /** Not sent by builds before build 1. */
      build?: number;
      epoch: string;
      /**
       * `open`: anyone who reaches the broker is admitted. `invite`: only members, who must answer with a
       * proof.
       */
      auth: "open" | "invite";
      /** Permanent id of this broker. Signatures made for it are invalid for any other broker. */
      broker_id: string;
      /** 32 random bytes in base64url, unique to this connection. A signed answer contains them. */
      nonce: string;
      /**
       * Maximum interval between frames from the broker. After twice this time without a frame, the
       * connection counts as lost.
       */
      heartbeat_ms: number;
    }
  | { type: "reply"; id: RequestId; output: unknown }
  | {
      type: "reply";
      id: RequestId;
      error: FrameError;
    }
  /** Reply to a frame without an id. */
  | { type: "error"; error: FrameError }
  /** Reply to an alias without an id, with the fields of its operation's output. */
  | { type: AnswerType; [field: string]: unknown }
  | { type: "message"; kind: SubscriptionKind; session_id: string; message: Message }
  | { type: "changed"; kind: ChangedKind; session_id: string; version: number }
  | MeshChangedFrame
  | StateChangeFrame
  | NudgeFrame
  | { type: "heartbeat" };

export interface FrameError {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

/**
 * `tasks` includes claims. `usage` is the usage reported by agents. `delivery`: a peer has read further, so
 * message_status would return something new.
 */
export type ChangedKind = "document" | "roster" | "session" | "tasks" | "usage" | "delivery";

/**
 * Notifies a connection that watches the mesh (`watch_mesh`) that a read of this kind would return something
 * new. `attention` covers items that wait for a human. `members` includes invites and tokens. `person` covers
 * what the watching person has read and dismissed. Sent at most once per second for each kind and session.
 * The last change is always reported.
 */
export interface MeshChangedFrame {
  readonly type: "mesh_changed";
  readonly kind: MeshChangedKind;
  /** The session that the change concerns, or null. */
  readonly session_id: string | null;
}

/**
 * The latest value of a key. It is pushed to every connection that has subscribed to the key's session, or to
 * any session of the mesh if `session_id` is null. Intermediate values may be skipped, but the last is always
 * sent.
 */
export interface StateChangeFrame {
  readonly type: "state_change";
  readonly session_id: string | null;
  readonly key: string;
  /** Omitted if the key was deleted or the value exceeds 8 KiB. get_state returns a large value. */
  readonly value?: unknown;
  readonly deleted: boolean;
  readonly version: number;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

/**
 * Asks the connection of a peer to run its wake paths, and to reply with a `nudged` frame that lists them.
 */
export interface NudgeFrame {
  readonly type: "nudge";
  readonly id: string;
  readonly session_id: string;
  readonly by: { readonly name: string; readonly human: boolean };
}

/** The output of a `subscribe` frame. Messages with a higher sequence than `after` follow. */
export interface Subscribed {
  readonly session_id: string;
  readonly after: number;
  readonly last_sequence: number;
  readonly epoch: string;
}
