"use client";

import { useEffect } from "react";
import type { RosterFact, RosterFactsProps } from "@/parts/feature";
import { useSession } from "@/sessions/session-context";
import { describeActivity, describeUsage, describeWait } from "./agent-words";
import { useAgents } from "./use-agents";

/** Reads the agents of the session for its roster. */
export function RosterFacts({ onFacts }: RosterFactsProps) {
  const { session, isObserver } = useSession();
  const { data } = useAgents(isObserver || session.status === "closed" ? null : session.slug);
  useEffect(() => {
    const facts = new Map<string, RosterFact>();
    for (const agent of data?.agents ?? []) {
      const [wait] = agent.waits;
      // For a team with several agents, the roster shows only the first agent.
      if (facts.has(agent.team_id)) continue;
      facts.set(agent.team_id, {
        unread: agent.unread,
        usage: describeUsage(agent),
        wait: wait ? { ...wait, target: describeWait(wait) } : null,
        activity: describeActivity(agent),
      });
    }
    onFacts(facts);
  }, [data, onFacts]);
  return null;
}
