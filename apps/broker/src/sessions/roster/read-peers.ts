import type { PeerRosterRow } from "@merkle/db";
import { Capabilities, KeyCard, type Peer as WirePeer } from "@merkle/wire";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";
import { type KnownPeer, readKnownPeers } from "./known-peers.js";
import { leftPeers, presentPeers } from "./present-peers.js";

/** A session's peers as callers see them (PEER-8), those that are there first. */
export async function readPeers(
  services: SessionServices,
  session: SessionIdentity,
  { includeLeft = false }: { includeLeft?: boolean } = {},
): Promise<WirePeer[]> {
  const known = await readKnownPeers(services, session.sessionId);
  return [...presentPeers(known), ...(includeLeft ? leftPeers(known) : [])].map(toWirePeer);
}

function toWirePeer(peer: KnownPeer): WirePeer {
  return {
    peer_id: peer.peerId,
    team_id: peer.teamId,
    team: peer.team,
    name: peer.name,
    kind: peer.kind,
    role: peer.role,
    groups: peer.groups.map(({ name, role }) => ({ name, role })),
    status: peer.status,
    declared: toDeclared(peer),
    summary: toSummary(peer),
    capabilities: toCapabilities(peer.capabilities),
    cwd: peer.cwd,
    machine: peer.machine,
    session_key: peer.sessionKey,
    key_card: toKeyCard(peer),
    joined_at: peer.joinedAt.toISOString(),
    last_seen_at: (peer.lastSeenAt ?? peer.joinedAt).toISOString(),
    last_polled_at: peer.lastPolledAt?.toISOString() ?? null,
    left_at: (peer.leftAt ?? peer.teamLeftAt)?.toISOString() ?? null,
    polling: peer.polling,
    connected: peer.connections > 0,
    last_read: lastReadOf(peer),
  };
}

/** A card is of one session key: with another one that a peer has told since, it is not the peer's any more. */
function toKeyCard({ keyCard, sessionKey }: PeerRosterRow): WirePeer["key_card"] {
  const card = KeyCard.safeParse(keyCard).data;
  const isCurrent = card && Buffer.from(card.session_key, "base64url").toString("base64") === sessionKey;
  return isCurrent ? card : null;
}

function toDeclared({ declaredStatus, declaredReason, declaredAt }: PeerRosterRow): WirePeer["declared"] {
  if (!declaredStatus || !declaredAt) return null;
  return { status: declaredStatus, reason: declaredReason, at: declaredAt.toISOString() };
}

function toSummary({ summary, summaryAt }: PeerRosterRow): WirePeer["summary"] {
  return summary === null || !summaryAt ? null : { text: summary, at: summaryAt.toISOString() };
}

/** What another version stored, with fields that this one does not know, is left aside. */
export function toCapabilities(stored: unknown): Capabilities | null {
  return Capabilities.safeParse(stored).data ?? null;
}

/** A person reads by other means than the team's cursor, which starts at its joining and tells nothing of that. */
export function lastReadOf(peer: Pick<KnownPeer, "personId" | "personLastRead" | "acked">): number {
  return peer.personId === null ? peer.acked : (peer.personLastRead ?? 0);
}
