import type { BrokerSettings, Participant } from "@merkle/wire";

export type Status = Participant["status"];

/** The facts that a peer's status follows from. */
export interface Sighting {
  readonly left: boolean;
  /** Whether a wait of it is parked. */
  readonly polling: boolean;
  readonly connected: boolean;
  /** Whether its last connection said goodbye. */
  readonly gone: boolean;
  /** When it was last seen, or else when it joined. */
  readonly seenAt: Date;
}

/** Follows from what was seen, never from what was declared (ROSTER-4). */
export function deriveStatus(
  settings: Pick<BrokerSettings, "active_within_s" | "disconnected_after_s">,
  { left, polling, connected, gone, seenAt }: Sighting,
  now: number,
): Status {
  const unseenS = (now - seenAt.getTime()) / 1000;
  if (left) return "disconnected";
  if (polling) return "active";
  if (gone && !connected) return "disconnected";
  if (unseenS <= settings.active_within_s) return "active";
  return connected || unseenS <= settings.disconnected_after_s ? "idle" : "disconnected";
}

/** The best of several: a team is as present as any of its peers. */
export function bestStatus(statuses: readonly Status[]): Status {
  if (statuses.includes("active")) return "active";
  return statuses.includes("idle") ? "idle" : "disconnected";
}
