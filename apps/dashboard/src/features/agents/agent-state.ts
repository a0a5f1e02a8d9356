import type { Agent } from "@merkle/wire";

/** Whether an agent waits for a human, for another agent, or for neither. */
export type Need = "human" | "agent" | null;

/** An offline agent needs nobody now, even if it has left a question. */
export function findNeed(agent: Pick<Agent, "presence" | "declared" | "waits">): Need {
  if (agent.presence === "disconnected") return null;
  if (hasAskedHuman(agent)) return "human";
  return agent.waits.length > 0 ? "agent" : null;
}

/** True if the agent is blocked or has asked a human, and has no reply, even if it is offline now. */
export function hasAskedHuman({ declared, waits }: Pick<Agent, "declared" | "waits">): boolean {
  return declared?.status === "blocked" || waits.some(({ human }) => human);
}

export type AgentState = "working" | "online" | "offline";

/** Returns what the broker has observed: an agent works if it or its client has reported that it does. */
export function findState({ presence, declared }: Pick<Agent, "presence" | "declared">): AgentState {
  if (presence === "disconnected") return "offline";
  return declared?.status === "working" ? "working" : "online";
}

/** Counts every agent once: those that need a human, and the others by state. */
export function countAgents(agents: readonly Agent[]): { readonly needing: number; readonly others: string } {
  const others = agents.filter((agent) => findNeed(agent) !== "human");
  const counts = (["working", "online", "offline"] as const).map((state) => ({
    state,
    count: others.filter((agent) => findState(agent) === state).length,
  }));
  return {
    needing: agents.length - others.length,
    others: counts
      .filter(({ count }) => count > 0)
      .map(({ state, count }) => `${count} ${state}`)
      .join(", "),
  };
}

/** True if the list shows the agent in a row. Absent agents that need nothing are only counted. */
export function isListed(agent: Agent): boolean {
  const { presence, waits, task } = agent;
  return presence !== "disconnected" || hasAskedHuman(agent) || waits.length > 0 || task !== null;
}
