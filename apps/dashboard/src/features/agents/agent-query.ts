import type { Agent } from "@merkle/wire";
import { findNeed, findState, hasAskedHuman } from "./agent-state";

/** The agents that the table shows, and their order. It is stored in the URL. */
export interface AgentQuery {
  readonly state: AgentFilter;
  readonly text: string;
  readonly sort: AgentSort;
  /** Whether the order is the opposite of the column's usual order. */
  readonly isReversed: boolean;
}

export const agentFilters = ["all", "needs", "working", "online", "offline"] as const;
export type AgentFilter = (typeof agentFilters)[number];

export const agentSorts = ["need", "name", "task", "tokens", "seen"] as const;
export type AgentSort = (typeof agentSorts)[number];

/** Reads the query from URL parameters. Unknown values count as the default. */
export function parseAgentQuery(get: (name: string) => string | null): AgentQuery {
  const order = get("sort") ?? "";
  const isReversed = order.startsWith("-");
  const name = isReversed ? order.slice(1) : order;
  return {
    state: agentFilters.find((each) => each === get("state")) ?? "all",
    text: get("q") ?? "",
    sort: agentSorts.find((each) => each === name) ?? "need",
    isReversed,
  };
}

/** Formats the order for the URL. The default order is left out. */
export function formatSort({ sort, isReversed }: Pick<AgentQuery, "sort" | "isReversed">): string | null {
  return sort === "need" && !isReversed ? null : `${isReversed ? "-" : ""}${sort}`;
}

export function isInState(agent: Agent, state: AgentFilter): boolean {
  if (state === "all") return true;
  // As in the counts above the table, an agent that needs a human is in no other state.
  const needsHuman = findNeed(agent) === "human";
  return state === "needs" ? needsHuman : !needsHuman && findState(agent) === state;
}

/** Returns the agents of the query, in its order. Agents that compare equal keep the broker's order. */
export function selectAgents(agents: readonly Agent[], query: AgentQuery): Agent[] {
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const compare = comparisons[query.sort];
  return agents
    .filter((agent) => isInState(agent, query.state) && words.every((word) => toText(agent).includes(word)))
    .sort((a, b) => (query.isReversed ? compare(b, a) : compare(a, b)));
}

function toText({ team, name, role, session_title, summary, task, declared, waits }: Agent): string {
  return [
    team,
    name,
    role,
    session_title,
    summary,
    task?.title,
    declared?.reason,
    ...waits.map(({ text }) => text),
  ]
    .join("\n")
    .toLowerCase();
}

const comparisons: Readonly<Record<AgentSort, (a: Agent, b: Agent) => number>> = {
  need: (a, b) => rankNeed(a) - rankNeed(b) || b.last_seen_at.localeCompare(a.last_seen_at),
  name: (a, b) => toSortName(a).localeCompare(toSortName(b), "en", { numeric: true }),
  task: (a, b) => (a.task?.task ?? Number.MAX_VALUE) - (b.task?.task ?? Number.MAX_VALUE),
  tokens: (a, b) => (b.tokens ?? -1) - (a.tokens ?? -1),
  seen: (a, b) => b.last_seen_at.localeCompare(a.last_seen_at),
};

/** Agents that need a human come first, offline agents last, and of these first the ones that have left a question. */
function rankNeed(agent: Agent): number {
  const need = findNeed(agent);
  if (need !== null) return need === "human" ? 0 : 1;
  const state = findState(agent);
  if (state === "offline") return hasAskedHuman(agent) ? 4 : 5;
  return state === "working" ? 2 : 3;
}

function toSortName({ team, name }: Agent): string {
  return `${team} ${name ?? ""}`;
}
