import * as z from "zod";
import { Epoch, Sequence, SessionRef, TeamCredential, Uuid } from "../core/values.js";
import type { MeshChangedKind } from "../feed/event-kind.js";
import type { Message } from "../feed/message.js";
import { HelloProof } from "../identity/hello-proof.js";
import { WakePath } from "../operations/peers.js";
import type { AnswerType } from "./frame-aliases.js";

/** The revision of these frames; a client that knows only another one says so and ends. */
export const protocolVersion = 1;

export const RequestId = z.union([z.string().min(1).max(100), z.int()]);
export type RequestId = z.output<typeof RequestId>;

/** Which of a session's messages a subscription brings: mine, to be acknowledged, or the whole feed for an onlooker. */
export const SubscriptionKind = z.enum(["inbox", "follow"]);
export type SubscriptionKind = z.output<typeof SubscriptionKind>;

/** The frames that a client sends over `/ws` (WS-1). Each has an id of the client's, which the reply repeats. */
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

/** A well-formed frame of a type that this revision does not have: an alias (WS-14), or of another revision. */
export interface ForeignFrame {
  readonly type: "foreign";
  readonly name: string;
  readonly id: RequestId | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads a frame of a type that is not in {@link ClientFrame}; null for anything malformed (WS-7). */
export function readForeignFrame(frame: unknown): ForeignFrame | null {
  if (typeof frame !== "object" || frame === null || Array.isArray(frame)) return null;
  const { type, id = null, ...fields }: { type?: unknown; id?: unknown } = frame;
  if (typeof type !== "string" || frameTypes.has(type)) return null;
  if (id === null) return { type: "foreign", name: type, id, fields };
  const named = RequestId.safeParse(id);
  return named.success ? { type: "foreign", name: type, id: named.data, fields } : null;
}

/**
 * The frames that the broker sends (WS-2): one hello, a reply to each request, and pushes. A reply has either `output` or
 * `error`. Messages of one subscription come in the feed's order, each once; `changed` is a hint that a read would now differ.
 */
export type BrokerFrame =
  | {
      type: "hello";
      protocol: number;
      version: string;
      /** Builds before 1 do not send it. */
      build?: number;
      epoch: string;
      /** Whether everybody who reaches the broker is let in, or a member alone, who then answers with a proof. */
      auth: "open" | "invite";
      /** Names this broker for good; what is signed for it holds for no other. */
      broker_id: string;
      /** 32 random bytes in base64url, of this connection alone; a signed answer holds them. */
      nonce: string;
      /** The broker sends something at least this often; silence for twice as long means that it is gone. */
      heartbeat_ms: number;
    }
  | { type: "reply"; id: RequestId; output: unknown }
  | {
      type: "reply";
      id: RequestId;
      error: FrameError;
    }
  /** Answers a frame that had no id. */
  | { type: "error"; error: FrameError }
  /** Answers an alias that had no id, with the fields of its operation's output. */
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

/** `tasks`: of the tasks or the claims. `usage`: of what agents reported. `delivery`: a peer has read further, so that message_status would answer something else. */
export type ChangedKind = "document" | "roster" | "session" | "tasks" | "usage" | "delivery";

/**
 * Tells a connection that watches the mesh (`watch_mesh`) that a read would now differ: of the list of sessions, of what
 * waits for a human, of memory, of progress, of audit sessions, of jobs, of proposals, of topics, of personas and what they read, of settings, of members with their invites and tokens, or of what the watching person has read and put away. At most one a second
 * for each kind and session; the last change is always told.
 */
export interface MeshChangedFrame {
  readonly type: "mesh_changed";
  readonly kind: MeshChangedKind;
  /** Where the change concerns one session. */
  readonly session_id: string | null;
}

/**
 * A key's newest value, pushed to every connection with a subscription to its session, or of its mesh when `session_id` is
 * null. Values in between may be left out, the last never is.
 */
export interface StateChangeFrame {
  readonly type: "state_change";
  readonly session_id: string | null;
  readonly key: string;
  /** Left out when the key was deleted, or when its value is above 8 KiB: then get_state has it. */
  readonly value?: unknown;
  readonly deleted: boolean;
  readonly version: number;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

/** Asks the connection that holds a peer to run its wake paths, and to answer `nudged` with those that it ran. */
export interface NudgeFrame {
  readonly type: "nudge";
  readonly id: string;
  readonly session_id: string;
  readonly by: { readonly name: string; readonly human: boolean };
}

/** The output of a `subscribe` frame: messages with a higher sequence than `after` follow. */
export interface Subscribed {
  readonly session_id: string;
  readonly after: number;
  readonly last_sequence: number;
  readonly epoch: string;
}
