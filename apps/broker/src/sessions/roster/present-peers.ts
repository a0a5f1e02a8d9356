import type { PeerRosterRow } from "@merkle/db";
import { hasLeft } from "./known-peers.js";

type Row = Pick<PeerRosterRow, "teamId" | "name" | "leftAt" | "teamLeftAt" | "lastPolledAt">;

/**
 * Of a session's peers those that are there, whom a message can reach (PEER-7). A team's unnamed peer is one of them only
 * as long as no named peer of the team is there, or once it has asked for messages itself: else nobody reads as it.
 */
export function presentPeers<Peer extends Row>(rows: readonly Peer[]): Peer[] {
  const there = rows.filter((row) => !hasLeft(row));
  const teamsByName = new Set(there.filter(isNamed).map(({ teamId }) => teamId));
  return there.filter((row) => isNamed(row) || row.lastPolledAt !== null || !teamsByName.has(row.teamId));
}

/** Those that have left, each team's unnamed peer only if somebody ever read as it. */
export function leftPeers<Peer extends Row>(rows: readonly Peer[]): Peer[] {
  const teamsWithNames = new Set(rows.filter(isNamed).map(({ teamId }) => teamId));
  return rows.filter(
    (row) => hasLeft(row) && (isNamed(row) || row.lastPolledAt !== null || !teamsWithNames.has(row.teamId)),
  );
}

function isNamed({ name }: Row): boolean {
  return name !== null;
}
