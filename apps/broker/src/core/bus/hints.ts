import type { ChangedKind, MeshChangedKind } from "@merkle/wire";

/**
 * What nodes send each other, by kind. A hint names what to read again, and its receiver acts on the rows that it reads
 * (NODE-15). A lost hint costs the time until the next sweep. Kinds and fields that a node does not know are passed over: two
 * versions run side by side.
 */
export interface Hints {
  /**
   * A feed has new messages, which change these reads of the mesh. A node that has the messages up to `sequence` need not read,
   * and nothing else follows from the number.
   */
  feed: {
    readonly session: string;
    readonly sequence: number;
    readonly changes: readonly MeshChangedKind[];
    /** Whether these messages concluded the session, so that its row is to be read again. */
    readonly closed?: boolean;
  };
  /** Something of a session that is no message has changed. */
  changed: { readonly session: string; readonly kind: ChangedKind };
  /** Somebody of a session came or went. */
  presence: { readonly session: string };
  /** A read of a mesh would now differ; of all meshes for null, or for one person. */
  mesh: {
    readonly kind: MeshChangedKind;
    readonly mesh: string | null;
    readonly session: string | null;
    readonly person: string | null;
  };
  /** A key holds another value; `session` is null for a key of the mesh. */
  state: { readonly mesh: string; readonly session: string | null; readonly key: string };
  /** A credential was replaced or ended; of all sessions for null. */
  credential: { readonly session: string | null; readonly id: string };
  /** A member, or a token, was revoked. */
  revoked: { readonly mesh: string; readonly member?: string; readonly token?: number };
  /** The broker's settings, or the quotas of a mesh, were changed. */
  settings: Record<string, never>;
  /** A named peer's inbox was opened at a node. */
  held: { readonly session: string; readonly peer: string };
  /** Peers of a session have left. */
  left: { readonly session: string };
  /** A node needs what the others know of a peer and have not saved yet. */
  unsaved: { readonly peer: string };
  /** A nudge was stored; each node adds its answer to the row. */
  nudge: { readonly id: string };
  /** A node added its answer. */
  nudged: { readonly id: string };
  /** An MCP session, named by its hash, was ended, or a request of it was cancelled. */
  mcp: { readonly session: string };
  /** There may be a job to claim; a job that is named has changed. */
  jobs: { readonly mesh: string | null; readonly job: number | null };
  /** A node waits until the others have followed what it said before; each says when it has. */
  settle: { readonly id: string };
  settled: { readonly id: string; readonly node: string };
  /** A node is there: by this the others know that they hear it. */
  here: Record<string, never>;
  /** A node has come, or goes. */
  nodes: Record<string, never>;
  /** Hints were lost: whatever a sweep reads is to be read now. */
  lost: Record<string, never>;
}

export type HintKind = keyof Hints;

/** One hint as nodes send it. */
export type SentHint = { [Kind in HintKind]: readonly [Kind, Hints[Kind]] }[HintKind];

/** Whether a hint may come somewhat later, together with others: nobody waits for an answer to it. */
export function mayWait([kind]: SentHint): boolean {
  return kind === "feed" || kind === "changed" || kind === "presence" || kind === "here";
}

/** By which one hint takes the place of another that waits to be sent. */
export function keyOfHint([kind, hint]: SentHint): string {
  if (kind === "feed") return `feed ${hint.session}`;
  return JSON.stringify([kind, hint]);
}

/** The one hint that says what two of one key say. */
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
