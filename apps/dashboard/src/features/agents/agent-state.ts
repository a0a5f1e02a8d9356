import type { Agent } from "@merkle/wire";

/** Whether an agent waits for a human, for another agent, or for neither. */
export type Need = "human" | "agent" | null;

/** An agent that is offline waits for nobody. What it asked is in Needs you all the same. */
export function findNeed({
  presence,
  declared,
  waits,
}: Pick<Agent, "presence" | "declared" | "waits">): Need {
  if (presence === "disconnected") return null;
  if (declared?.status === "blocked" || waits.some(({ human }) => human)) return "human";
  return waits.length > 0 ? "agent" : null;
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
  const { presence, declared, waits, task } = agent;
  return presence !== "disconnected" || declared?.status === "blocked" || waits.length > 0 || task !== null;
}
