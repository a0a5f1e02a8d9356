import type { BrokerSettings, Participant } from "@merkle/wire";

export type PresenceStatus = Participant["status"];

/** The observations from which a peer's status is derived. */
export interface PeerObservation {
  readonly left: boolean;
  /** Whether the peer has a parked wait. */
  readonly polling: boolean;
  readonly connected: boolean;
  /** Whether the peer's last connection closed with a goodbye. */
  readonly hasSaidGoodbye: boolean;
  /** When the peer was last seen, or when it joined if it was never seen. */
  readonly seenAt: Date;
}

/** Derives a peer's status from observations, never from its own declaration (ROSTER-4). */
export function deriveStatus(
  settings: Pick<BrokerSettings, "active_within_s" | "disconnected_after_s">,
  { left, polling, connected, hasSaidGoodbye, seenAt }: PeerObservation,
  now: number,
): PresenceStatus {
  const unseenS = (now - seenAt.getTime()) / 1000;
  if (left) return "disconnected";
  if (polling) return "active";
  if (hasSaidGoodbye && !connected) return "disconnected";
  if (unseenS <= settings.active_within_s) return "active";
  return connected || unseenS <= settings.disconnected_after_s ? "idle" : "disconnected";
}

/**
 * Returns the most present of several statuses, because a team is as present as its most present
 * peer.
 */
export function pickBestStatus(statuses: readonly PresenceStatus[]): PresenceStatus {
  if (statuses.includes("active")) return "active";
  return statuses.includes("idle") ? "idle" : "disconnected";
}
