import type { Agent, AgentWait } from "@merkle/wire";
import { describeRequest, planTool, questionTool, turnEndTool } from "@merkle/wire/text";
import type { RosterFact } from "@/parts/feature";
import { formatPeerAddress } from "@/sessions/roster-rows";
import { findState } from "./agent-state";

/** Returns the agent's name together with its team's, unless both are the same. */
export function formatName({ team, name }: Pick<Agent, "team" | "name">): string {
  return name?.toLowerCase() === team.toLowerCase() ? team : formatPeerAddress(team, name);
}

/** Describes what an agent waits for: `a human`, `Birch, Cedar`, `anyone` or `an answer`. */
export function describeWait({ on, human, kind }: AgentWait): string {
  const names = on.map((each) => (each.toLowerCase() === "@humans" ? "a human" : each));
  if (names.length > 0) return names.join(", ");
  return human || kind === "approval" ? "anyone" : "an answer";
}

/** Describes what an agent wants from those that it waits for. Their names follow the words. */
export function describeWaitReason({ kind, text }: AgentWait): string {
  if (kind !== "approval") return "Waits for";
  if (text === questionTool) return "Asks a question of";
  if (text === turnEndTool) return "Ended its turn with a question to";
  return text === planTool ? "Its plan waits for" : `Requests permission to use ${text} of`;
}

/** Returns an agent's current activity, or what it waits for. */
export function describeActivity(agent: Agent): RosterFact["activity"] {
  const { declared, waits, summary, summary_at: summaryAt, task } = agent;
  const [wait] = waits;
  if (declared?.status === "blocked")
    return { text: declared.reason ?? "blocked", isQuoted: declared.reason !== null, since: declared.at };
  if (wait?.kind === "approval")
    return { text: describeRequest(wait.text), isQuoted: false, since: wait.since };
  if (wait) return { text: wait.text, isQuoted: true, since: wait.since };
  if (summaryAt) return { text: summary, isQuoted: true, since: summaryAt };
  if (task) return { text: task.title, isQuoted: true, since: task.since };
  if (agent.polling) return { text: "waits for messages", isQuoted: false, since: agent.last_seen_at };
  const state = findState(agent);
  const since = state === "working" && declared ? declared.at : agent.last_seen_at;
  return { text: state, isQuoted: false, since };
}

/** Formats a number of tokens, rounded: `12k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${(count / 1_000).toFixed(count < 10_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** Formats an agent's usage, such as `12k tokens, $0.42`. Null if the agent reported none. */
export function describeUsage({ tokens, cost_usd }: Pick<Agent, "tokens" | "cost_usd">): string | null {
  if (tokens === null) return null;
  return `${formatCount(tokens)} tokens${cost_usd === null ? "" : `, $${cost_usd.toFixed(2)}`}`;
}

/** Groups agents by session, in order of first appearance. */
export function groupBySession(
  agents: readonly Agent[],
): { readonly first: Agent; readonly agents: Agent[] }[] {
  const groups = new Map<string, { first: Agent; agents: Agent[] }>();
  for (const agent of agents) {
    const group = groups.get(agent.session_id);
    if (group) group.agents.push(agent);
    else groups.set(agent.session_id, { first: agent, agents: [agent] });
  }
  return [...groups.values()];
}
