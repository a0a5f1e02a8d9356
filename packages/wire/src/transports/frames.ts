import * as z from "zod";
import { Epoch, Sequence, SessionRef, TeamCredential, Uuid } from "../core/values.js";
import type { MeshChangedKind } from "../feed/event-kind.js";
import type { Message } from "../feed/message.js";
import { HelloProof } from "../identity/hello-proof.js";
import { WakePath } from "../operations/peers.js";
import type { AnswerType } from "./frame-aliases.js";

/** Revision of the frame protocol. A client that does not support this revision says so and stops. */
export const protocolVersion = 1;

export const RequestId = z.union([z.string().min(1).max(100), z.int()]);
export type RequestId = z.output<typeof RequestId>;

/**
 * Which messages a subscription delivers. `inbox`: messages for the subscriber, who must acknowledge them.
 * `follow`: the whole feed, for an observer.
 */
export const SubscriptionKind = z.enum(["inbox", "follow"]);
export type SubscriptionKind = z.output<typeof SubscriptionKind>;

/** The frames that a client sends over `/ws` (WS-1). The client chooses the ids, and replies repeat them. */
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

/**
 * A well-formed frame whose type is not in `ClientFrame`. It is either an alias (WS-14) or belongs to another
 * revision of the protocol.
 */
export interface UnknownFrame {
  readonly type: "foreign";
  readonly name: string;
  readonly id: RequestId | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses a frame whose type is not in {@link ClientFrame}. Returns null if the frame is malformed (WS-7). */
export function parseUnknownFrame(frame: unknown): UnknownFrame | null {
  if (typeof frame !== "object" || frame === null || Array.isArray(frame)) return null;
  const { type, id = null, ...fields }: { type?: unknown; id?: unknown } = frame;
  if (typeof type !== "string" || frameTypes.has(type)) return null;
  if (id === null) return { type: "foreign", name: type, id, fields };
  const named = RequestId.safeParse(id);
  return named.success ? { type: "foreign", name: type, id: named.data, fields } : null;
}

/**
 * The frames that the broker sends (WS-2): one hello, a reply to each request, and pushes. A reply has either
 * `output` or `error`. Each subscription delivers each of its messages once, in feed order. `changed` is a
 * hint that reading again would return something new.
 */
export type BrokerFrame =
  | {
      type: "hello";
      protocol: number;
      version: string;
      /** The broker's build number. Missing if the broker is older than build 1. */
      build?: number;
      epoch: string;
      /**
       * Who is admitted. `open`: anyone who can reach the broker. `invite`: only members, who must answer
       * with a proof.
       */
      auth: "open" | "invite";
      /** The broker's permanent id. A signature made for this broker is invalid for any other broker. */
      broker_id: string;
      /** 32 random bytes in base64url, different for each connection. A signed answer includes them. */
      nonce: string;
      /**
       * Maximum interval between two frames from the broker, in milliseconds. If no frame arrives for twice
       * this time, the connection counts as lost.
       */
      heartbeat_ms: number;
    }
  | { type: "reply"; id: RequestId; output: unknown }
  | {
      type: "reply";
      id: RequestId;
      error: FrameError;
    }
  /** The error reply to a frame without an id. */
  | { type: "error"; error: FrameError }
  /** The reply to a request that was sent as an alias and without an id. Contains the fields of the operation's output. */
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
 * The kinds of data in a session that may have changed. `tasks` includes claims. `usage` is the usage that
 * agents have reported. `delivery` means that a peer has read further, so `message_status` would return
 * something new.
 */
export type ChangedKind = "document" | "roster" | "session" | "tasks" | "usage" | "delivery";

/**
 * Notifies a connection that watches the mesh (`watch_mesh`) that reading data of this kind again would
 * return something new. `attention` is about items that wait for a human. `members` includes invites and
 * tokens. `person` is about what the watching person has read and dismissed. Sent at most once per second for
 * each kind and session. The last change is always reported.
 */
export interface MeshChangedFrame {
  readonly type: "mesh_changed";
  readonly kind: MeshChangedKind;
  /** Id of the session in which something changed. Null if the change does not concern a single session. */
  readonly session_id: string | null;
}

/**
 * The latest value of a key. It is sent to each connection that has subscribed to the key's session or, if
 * `session_id` is null, to any session of the mesh. Intermediate values may be skipped, but the last value is
 * always sent.
 */
export interface StateChangeFrame {
  readonly type: "state_change";
  readonly session_id: string | null;
  readonly key: string;
  /**
   * The key's value. Omitted if the key was deleted or the value exceeds 8 KiB. `get_state` returns large
   * values.
   */
  readonly value?: unknown;
  readonly deleted: boolean;
  readonly version: number;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

/**
 * Asks a peer's client to use its wake paths. The client replies with a `nudged` frame that lists the paths
 * used.
 */
export interface NudgeFrame {
  readonly type: "nudge";
  readonly id: string;
  readonly session_id: string;
  readonly by: { readonly name: string; readonly human: boolean };
}

/** The output of `subscribe`. The subscription then delivers messages with a higher sequence than `after`. */
export interface SubscribeReply {
  readonly session_id: string;
  readonly after: number;
  readonly last_sequence: number;
  readonly epoch: string;
}
