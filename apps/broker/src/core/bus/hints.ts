import type { ChangedKind, MeshChangedKind } from "@merkle/wire";

/**
 * The hints that nodes send each other, by kind. A hint names data to re-read, and the receiver acts only on
 * the rows it reads (NODE-15). If a hint is lost, the receiver re-reads the data in its next sweep. Nodes
 * ignore unknown kinds and fields, because two versions may run side by side.
 */
export interface Hints {
  /**
   * A feed has new messages. `changes` lists the reads of the mesh that the messages affect. `sequence` lets a
   * node ignore hints about messages that it already has.
   */
  feed: {
    readonly session: string;
    readonly sequence: number;
    readonly changes: readonly MeshChangedKind[];
    /** Whether these messages concluded the session, so that its row must be re-read. */
    readonly closed?: boolean;
  };
  /** Something in a session has changed, apart from its feed. */
  changed: { readonly session: string; readonly kind: ChangedKind };
  /** A peer has joined or left a session. */
  presence: { readonly session: string };
  /**
   * A read of a mesh would now return a different result. A null mesh means all meshes. If a person is given,
   * only that person's reads are affected.
   */
  mesh: {
    readonly kind: MeshChangedKind;
    readonly mesh: string | null;
    readonly session: string | null;
    readonly person: string | null;
  };
  /** A state key has a new value. A null `session` means a key that belongs to the mesh. */
  state: { readonly mesh: string; readonly session: string | null; readonly key: string };
  /** A credential was replaced or ended. A null `session` means all sessions. */
  credential: { readonly session: string | null; readonly id: string };
  /** A member or a token was revoked. */
  revoked: { readonly mesh: string; readonly member?: string; readonly token?: number };
  /** The broker's settings or the quotas of a mesh were changed. */
  settings: Record<string, never>;
  /** A named peer's inbox was opened on a node. */
  held: { readonly session: string; readonly peer: string };
  /** Peers have left a session. */
  left: { readonly session: string };
  /** A node needs the unsaved state of a peer from the other nodes. */
  unsaved: { readonly peer: string };
  /** A nudge was stored. Each node adds its answer to the row. */
  nudge: { readonly id: string };
  /** A node has added its answer to a nudge. */
  nudged: { readonly id: string };
  /** An MCP session, identified by its hash, was ended, or a request in it was cancelled. */
  mcp: { readonly session: string };
  /** There may be a job to claim. If `job` is set, that job has changed. */
  jobs: { readonly mesh: string | null; readonly job: number | null };
  /**
   * A node is waiting until the other nodes have handled its earlier hints. Each of them then replies with
   * `settled`.
   */
  settle: { readonly id: string };
  settled: { readonly id: string; readonly node: string };
  /** A node is running. This hint shows the other nodes that the node's hints reach them. */
  here: Record<string, never>;
  /** A node has just started or is about to stop. */
  nodes: Record<string, never>;
  /** Hints were lost, so everything that a sweep reads must be re-read now. */
  lost: Record<string, never>;
}

export type HintKind = keyof Hints;

/** A hint in the form sent over the bus: its kind and its fields. */
export type SentHint = { [Kind in HintKind]: readonly [Kind, Hints[Kind]] }[HintKind];

/**
 * Returns whether sending a hint may be delayed, to send it together with other hints. A hint may be delayed
 * only if no reply depends on it.
 */
export function canWait([kind]: SentHint): boolean {
  return kind === "feed" || kind === "changed" || kind === "presence" || kind === "here";
}

/** Returns the key of a hint. A new hint replaces a waiting hint with the same key. */
export function toHintKey([kind, hint]: SentHint): string {
  if (kind === "feed") return `feed ${hint.session}`;
  return JSON.stringify([kind, hint]);
}

/** Merges two hints with the same key into one. */
export function mergeHints(earlier: SentHint | undefined, later: SentHint): SentHint {
  if (earlier?.[0] !== "feed" || later[0] !== "feed") return later;
  const [{ session, sequence, changes, closed = false }, next] = [earlier[1], later[1]];
  return [
    "feed",
    {
      session,
      ...((closed || next.closed) && { closed: true }),
      sequence: Math.max(sequence, next.sequence),
      changes: next.changes.every((kind) => changes.includes(kind))
        ? changes
        : [...new Set([...changes, ...next.changes])],
    },
  ];
}
