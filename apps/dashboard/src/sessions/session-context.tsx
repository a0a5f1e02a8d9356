"use client";

import type { OutputOf, Participant, Peer } from "@merkle/wire";
import { createContext, type ReactNode, use, useMemo } from "react";
import { SourceContext, type SourceFacts } from "@/sessions/source-context";

/** The facts about a session that all parts of its page need. */
export interface SessionFacts {
  readonly session: OutputOf<"get_session">;
  /** All current and former teams, in the order in which they joined. */
  readonly participants: readonly Participant[];
  readonly peers: readonly Peer[];
  /** The team, in this session, of the person using this browser. Null before their first write. */
  readonly myTeamId: string | null;
  /** True for an observer, for whom the page is read-only. */
  readonly isObserver: boolean;
  /** Returns the number of a team's colour, or 0 for an unknown team. */
  getColour(teamId: string | null): number;
  /** The past moment that the URL selects. Null for the present. */
  readonly at: string | null;
  /** Reads all facts again. */
  refresh(): void;
}

const SessionContext = createContext<SessionFacts | null>(null);

/** Provides the facts about a session, and about its document as the page's source. */
export function SessionProvider({ facts, children }: { facts: SessionFacts; children: ReactNode }) {
  const { session_id, document_version, status } = facts.session;
  const { isObserver } = facts;
  const source = useMemo<SourceFacts>(
    () => ({
      source: { kind: "document", session_id },
      revision: document_version,
      isOpen: status === "active",
      isObserver,
    }),
    [session_id, document_version, status, isObserver],
  );
  return (
    <SessionContext value={facts}>
      <SourceContext value={source}>{children}</SourceContext>
    </SessionContext>
  );
}

export function useSession(): SessionFacts {
  const facts = use(SessionContext);
  if (facts === null) throw new Error("useSession is called outside of a session's page.");
  return facts;
}
