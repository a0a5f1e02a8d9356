import type { Peer } from "@merkle/wire";
import type { Column } from "../command/list.js";
import type { Output, Signs } from "../command/output.js";
import { toOneLine } from "../text/one-line.js";
import { toAge } from "../text/time.js";

/** Formats a peer's address, such as `Cedar` or `Cedar/atlas`. */
export function formatPeerAddress(team: string, peer: string | null | undefined): string {
  return peer ? `${quoteMarkedName(team)}/${quoteMarkedName(peer)}` : quoteMarkedName(team);
}

/**
 * Formats a name that may be followed by a mark such as `(human)`. Quotes names from older versions that
 * contain such a mark themselves (NAME-3).
 */
export function quoteMarkedName(name: string): string {
  const shown = toOneLine(name);
  return /\(\s*(?:human|guest)\s*\)/iu.test(name) ? JSON.stringify(shown) : shown;
}

type PeerPresence = Pick<Peer, "left_at" | "presence">;

/**
 * Returns the presence symbol for a peer or team. A peer that has left gets the symbol for disconnected
 * peers.
 */
export function toPresenceSign(
  { left_at: leftAt, presence }: PeerPresence,
  { signs }: { readonly signs: Signs },
): string {
  if (leftAt !== null) return signs.gone;
  switch (presence) {
    case "active":
      return signs.active;
    case "idle":
      return signs.idle;
    case "disconnected":
      return signs.gone;
  }
}

/**
 * Sorts peers by status: blocked peers first, peers that have left last. Peers with equal status stay in the
 * order of joining.
 */
export function sortByState<Row extends Peer>(peers: readonly Row[]): Row[] {
  return [...peers].sort((a, b) => toStateRank(a) - toStateRank(b));
}

function isBlocked({ declared, left_at: leftAt }: Pick<Peer, "declared" | "left_at">): boolean {
  return leftAt === null && declared?.status === "blocked";
}

/**
 * Returns the symbol for a peer or team. A declared status of blocked or do not disturb has its own symbol;
 * otherwise the symbol shows the presence.
 */
export function toStateSign(
  peer: Pick<Peer, "declared"> & PeerPresence,
  { signs }: { readonly signs: Signs },
): string {
  if (isBlocked(peer)) return signs.blocked;
  return peer.left_at === null && peer.declared?.status === "dnd"
    ? signs.dnd
    : toPresenceSign(peer, { signs });
}

/** Formats the declared and the observed status, such as `blocked 6m "needs a key", idle`. */
export function formatState(peer: Peer): string {
  if (peer.left_at !== null) return `left ${toAge(peer.left_at)} ago`;
  const presenceText =
    peer.presence === "disconnected" ? `away, seen ${toAge(peer.last_seen_at)} ago` : peer.presence;
  return [formatDeclared(peer), presenceText, peer.polling ? "waiting for messages" : ""]
    .filter((each) => each !== "")
    .join(", ");
}

/**
 * Formats the declared status. Empty for `idle`, because the presence already shows whether the peer is idle.
 */
export function formatDeclared({ declared }: Pick<Peer, "declared">): string {
  if (declared === null || declared.status === "idle") return "";
  const reason = declared.reason === null ? "" : ` "${toOneLine(declared.reason)}"`;
  return `${declared.status} ${toAge(declared.at)}${reason}`;
}

export function formatRoles({ role, groups }: Peer): string {
  const memberships = groups.map(
    (group) => `@${toOneLine(group.name)}${group.role === null ? "" : `:${toOneLine(group.role)}`}`,
  );
  return [role === null ? "" : toOneLine(role), ...memberships].filter((each) => each !== "").join(" ");
}

/** Formats a peer's task and its activity summary, such as `task 7 rotate tokens, 12m`. */
export function formatSummary({ summary, summary_at: at, task }: Peer): string {
  const activity = at === null ? "" : `${toOneLine(summary)} (${toAge(at)} ago)`;
  if (!task) return activity;
  return [`task ${task.task} ${toOneLine(task.title)}, ${toAge(task.since)}`, activity]
    .filter(Boolean)
    .join("   ");
}

/**
 * Minimum terminal width at which the activity gets its own column. On narrower terminals it follows the
 * status.
 */
const twoColumnsMin = 120;

/** Returns the columns of a peer's status and activity: two, or one on a narrow terminal. */
export function listActivityColumns(
  output: Pick<Output, "alarm" | "dim" | "columns">,
): [Column<Peer>, Column<Peer>?] {
  const hasTwo = output.columns >= twoColumnsMin;
  const state: Column<Peer> = {
    head: "Status",
    widthMin: 12,
    cell: (peer) => ({
      text: [formatState(peer), hasTwo ? "" : formatSummary(peer)].filter((each) => each !== "").join(", "),
      paint: paintState(peer, output),
    }),
  };
  if (!hasTwo) return [state];
  const cell = (peer: Peer) => ({ text: formatSummary(peer), paint: output.dim });
  return [state, { head: "Work", widthMin: 12, cell }];
}

/** Describes how the peer can be woken. A disconnected peer cannot be woken. */
export function describeWake(peer: Peer): string {
  const paths = peer.capabilities?.wake?.filter((path) => path !== "wait") ?? [];
  if (peer.polling) return "wakes immediately";
  if (!peer.connected) return "cannot be woken";
  return paths.length === 0 ? "reads at its next poll" : `wakes by ${paths.join(", ")}`;
}

export function paintState(peer: Peer, output: Pick<Output, "alarm" | "dim">): (text: string) => string {
  if (isBlocked(peer)) return output.alarm;
  return peer.left_at !== null || peer.presence === "disconnected" ? output.dim : String;
}

function toStateRank(peer: Peer): number {
  if (isBlocked(peer)) return 0;
  if (peer.left_at !== null) return 4;
  return { active: 1, idle: 2, disconnected: 3 }[peer.presence];
}
