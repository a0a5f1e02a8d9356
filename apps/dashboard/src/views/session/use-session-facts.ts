import { useEffect, useMemo } from "react";
import type { Problem } from "@/broker/problem";
import { useIsObserver } from "@/broker/use-admitted";
import { useBroker } from "@/broker/use-broker";
import { useRead } from "@/broker/use-read";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePerson } from "@/identity/use-person";
import type { SessionFacts } from "@/sessions/session-context";

export interface SessionFactsRead {
  /** The last known facts, which are kept after a failure. */
  readonly facts: SessionFacts | null;
  /** The reason why the last read of the session or its participants failed. */
  readonly problem: Problem | null;
  readonly refresh: () => void;
}

/** Interval at which the roster is read even if the broker sends no hint, because statuses change as time passes. */
const rosterEveryMs = 15_000;

/** Reads a session by its id or slug, together with its participants, and keeps them up to date. */
export function useSessionFacts(ref: string | undefined): SessionFactsRead {
  const sessionInput = ref === undefined ? null : { session_id: ref };
  const session = useRead("get_session", sessionInput, {
    on: ["session", "document", "roster", "tasks", "person"],
  });
  const participants = useRead(
    "list_participants",
    sessionInput && { ...sessionInput, include_folded: true },
    {
      on: ["roster"],
    },
  );
  const peers = useRead("list_peers", sessionInput && { ...sessionInput, include_left: true }, {
    on: ["roster", "tasks"],
  });
  const { person } = usePerson();
  const isObserver = useIsObserver();
  const [at] = useQueryParam("at");

  const refreshSession = session.refresh;
  const refreshParticipants = participants.refresh;
  const refreshPeers = peers.refresh;
  useRefreshOnMessages(session.data?.session_id, refreshSession);
  useRefreshWhileVisible(refreshParticipants, refreshPeers);

  const facts = useMemo<SessionFacts | null>(() => {
    if (!session.data || !participants.data || !peers.data) return null;
    const teams = participants.data.participants;
    const colours = new Map(teams.map((team) => [team.team_id, team.colour]));
    return {
      session: session.data,
      participants: teams,
      peers: peers.data.peers,
      isObserver,
      myTeamId: teams.find((team) => person !== null && team.person_id === person.id)?.team_id ?? null,
      getColour: (teamId) => (teamId === null ? 0 : (colours.get(teamId) ?? 0)),
      at,
      refresh: () => {
        refreshSession();
        refreshParticipants();
        refreshPeers();
      },
    };
  }, [
    session.data,
    participants.data,
    peers.data,
    person,
    isObserver,
    at,
    refreshSession,
    refreshParticipants,
    refreshPeers,
  ]);

  return {
    facts,
    problem: session.problem ?? participants.problem ?? peers.problem ?? null,
    refresh: () => {
      refreshSession();
      refreshParticipants();
      refreshPeers();
    },
  };
}

const countedKinds: ReadonlySet<string> = new Set(["sessions", "memory", "progress"]);

/**
 * Refreshes the session's counts, which change with every message, memory and progress entry. The broker announces
 * these changes at most once a second.
 */
function useRefreshOnMessages(sessionId: string | undefined, refresh: () => void): void {
  const broker = useBroker();
  useEffect(() => {
    if (sessionId === undefined) return;
    return broker.onMeshChanged((change) => {
      const isCounted = countedKinds.has(change.kind);
      if (isCounted && (change.sessionId === sessionId || change.sessionId === null)) refresh();
    });
  }, [broker, sessionId, refresh]);
}

function useRefreshWhileVisible(...refreshes: readonly [() => void, () => void]): void {
  const [first, second] = refreshes;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "hidden") return;
      first();
      second();
    }, rosterEveryMs);
    return () => clearInterval(timer);
  }, [first, second]);
}
