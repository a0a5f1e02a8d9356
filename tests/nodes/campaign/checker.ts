import { checkRun, type Problem, type Run } from "../../faults/checker.js";

/** A run across several nodes, including events that the feeds do not contain. */
export interface NodesRun extends Run {
  readonly claims: readonly Claim[];
  readonly uses: readonly CredentialUse[];
  readonly wakes: readonly Wake[];
}

/** A reply by which a team claimed a task. */
export interface Claim {
  readonly session: string;
  readonly task: number;
  readonly team: string;
}

/** A use of a replaced credential, some time after the reply that replaced it. */
export interface CredentialUse {
  readonly session: string;
  readonly afterMs: number;
  readonly accepted: boolean;
}

/** A wait that was pending at one node when a message was posted at another. */
export interface Wake {
  readonly session: string;
  readonly sequence: number;
  readonly bus: "up" | "down";
  /** Null if the wait ended without the message. */
  readonly tookMs: number | null;
}

export interface NodesProblem extends Omit<Problem, "kind"> {
  readonly kind: Problem["kind"] | "double lease" | "stale credential" | "lost wake";
}

/**
 * A node that misses notifications from other nodes may still accept a replaced credential for this long, until its
 * next sweep.
 */
const sweptMs = 6_000;
/** A wait that takes longer than this was not woken by a notification, but found the message with a poll. */
const wakeMsMax = { up: 4_000, down: 15_000 };

/**
 * Checks the feeds. Also checks that no task is held by two teams at the same time, that replaced credentials are
 * refused, and that every wait ends soon after a post.
 */
export function checkNodesRun(run: NodesRun): NodesProblem[] {
  return [
    ...checkRun(run),
    ...checkClaims(run.claims),
    ...run.uses.flatMap(checkUse),
    ...run.wakes.flatMap(checkWake),
  ];
}

function checkClaims(claims: readonly Claim[]): NodesProblem[] {
  const holders = new Map<string, string>();
  return claims.flatMap(({ session, task, team }) => {
    const key = `${session} ${task}`;
    const holder = holders.get(key) ?? team;
    holders.set(key, holder);
    if (holder === team) return [];
    const detail = `task ${task} was given to ${holder} and to ${team}`;
    return [{ kind: "double lease", source: team, session, sequence: task, detail }];
  });
}

function checkUse({ session, afterMs, accepted }: CredentialUse): NodesProblem[] {
  if (!accepted || afterMs <= sweptMs) return [];
  const detail = `it was accepted ${afterMs} ms after it was replaced`;
  return [{ kind: "stale credential", source: "replaced credential", session, sequence: 0, detail }];
}

function checkWake({ session, sequence, bus, tookMs }: Wake): NodesProblem[] {
  if (tookMs !== null && tookMs <= wakeMsMax[bus]) return [];
  const detail = tookMs === null ? "its wait ended without it" : `its wait ended ${tookMs} ms after it`;
  return [{ kind: "lost wake", source: "wait", session, sequence, detail }];
}
