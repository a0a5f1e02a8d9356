import type { OutputOf } from "@merkle/wire";
import type { BrokerLink } from "../broker-link.js";
import type { PeerSession } from "../peer-sessions.js";
import type { NudgedPeer } from "../wake-rules.js";

/** What the rosters of sessions say about when to nudge the peers that this server acts as. */
export interface RosterView {
  /**
   * Returns what is known about a peer. If that may be out of date, also reads the roster in the background, and
   * calls `onRead` afterwards.
   */
  find(team: PeerSession): NudgedPeer;
  /** Notes that the roster of the peer's session has changed. */
  expire(team: PeerSession): void;
}

interface RosterViewOptions {
  readonly link: Pick<BrokerLink, "call">;
  /** Called after a roster was read. */
  readonly onRead: () => void;
  readonly log: (text: string) => void;
  readonly now: () => number;
}

interface RosterEntry {
  facts: RosterFacts;
  isCurrent: boolean;
  isReading: boolean;
  readAt: number;
}

type RosterFacts = Pick<NudgedPeer, "groups" | "wake" | "othersOnline">;

/** Facts before the first read, which takes less time than the pause that they make messages wait for. */
const unread: RosterFacts = { groups: [], wake: "everything", othersOnline: Number.POSITIVE_INFINITY };
/** Facts if the roster cannot be read. A nudge too many is better than a late one. */
const unreadable: RosterFacts = { ...unread, othersOnline: 0 };

/**
 * While a session has several other agents, its roster changes often, and one more or less rarely matters. This
 * is the minimum time between two reads of such a roster.
 */
const largeRosterMsMin = 10_000;

/** Reads rosters only when a message's nudge depends on them. */
export function createRosterView({ link, onRead, log, now }: RosterViewOptions): RosterView {
  const entries = new WeakMap<PeerSession, RosterEntry>();

  function getEntry(team: PeerSession): RosterEntry {
    const known = entries.get(team);
    if (known) return known;
    const entry: RosterEntry = {
      facts: unread,
      isCurrent: false,
      isReading: false,
      readAt: Number.NEGATIVE_INFINITY,
    };
    entries.set(team, entry);
    return entry;
  }

  function isDue({ facts, isCurrent, isReading, readAt }: RosterEntry): boolean {
    if (isCurrent || isReading) return false;
    return facts.othersOnline <= 1 || now() - readAt >= largeRosterMsMin;
  }

  async function read(team: PeerSession, entry: RosterEntry): Promise<void> {
    entry.isReading = true;
    entry.isCurrent = true;
    const { sessionId: session_id, credential: team_id } = team;
    try {
      entry.facts = toFacts(await link.call("list_peers", { session_id, team_id }), team);
    } catch (error) {
      entry.facts = unreadable;
      log(`could not read the roster of ${team.slug}: ${String(error)}`);
    }
    entry.isReading = false;
    entry.readAt = now();
    onRead();
  }

  return {
    find(team) {
      const entry = getEntry(team);
      if (isDue(entry)) void read(team, entry);
      return { team: team.name, name: team.peerName, ...entry.facts };
    },
    expire(team) {
      getEntry(team).isCurrent = false;
    },
  };
}

function toFacts({ peers }: OutputOf<"list_peers">, { storedPeerId }: PeerSession): RosterFacts {
  const own = peers.find(({ peer_id }) => peer_id === storedPeerId);
  const others = peers.filter((peer) => peer !== own && peer.kind === "agent");
  return {
    groups: own?.groups.map(({ name }) => name) ?? [],
    wake: own?.wake ?? "everything",
    othersOnline: others.filter(({ presence }) => presence !== "disconnected").length,
  };
}
