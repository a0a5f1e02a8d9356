import type { connectTestDatabase } from "../kit/test-database.js";
import type { TransportClient } from "../kit/transports.js";

const topics = ["Split the auth service", "Q3 pricing", "Search relevance"];
const work = [
  "token tables",
  "the gateway",
  "old clients",
  "the price list",
  "ranking",
  "the index",
  "the docs",
  "metrics",
];
const questions = [
  "Which staging key do we use for the token service?",
  "May v1 tokens expire after 30 days?",
  "Is the price list of June final?",
  "Who signs off the migration?",
  "Do we keep the old search endpoint?",
  "Which region first?",
];

/** Numbers of what the thirty agents leave behind. */
export const left = { agents: 30, blocked: 2, asks: questions.length, tasks: 23, sessions: topics.length };

/**
 * Stages thirty agents in three sessions: 23 of them hold a task, six have asked humans, two are blocked. All of it is done
 * before they fall silent.
 */
export async function stageAgents(rest: TransportClient): Promise<void> {
  const sessions: { session_id: string; team_id: string }[] = [];
  for (const title of topics)
    sessions.push(await rest.call("create_session", { title, creator_team_name: "Atlas" }));
  const agents = sessions.map(({ session_id, team_id }) => ({ session_id, team_id }));
  while (agents.length < left.agents) {
    // The agents are spread over the sessions evenly.
    const { session_id } = agents[agents.length - sessions.length] ?? { session_id: "" };
    const team_name = `Birch ${agents.length + 1}`;
    const { team_id } = await rest.call("join_session", { session_id, team_name });
    agents.push({ session_id, team_id });
  }
  for (const [n, agent] of agents.entries()) {
    const title = `Move ${work[n % work.length]}`;
    await rest.call("set_summary", { ...agent, summary: `Working on ${work[n % work.length]}` });
    await rest.call("set_status", { ...agent, status: "working", automatic: true });
    if (n < left.tasks) {
      const { task } = await rest.call("create_task", { ...agent, title });
      await rest.call("claim_task", { ...agent, task });
    }
    const usage = [{ model: "opus", input_tokens: 1_000 * (n + 1), output_tokens: 400, cost_usd: 0.1 }];
    await rest.call("report_usage", { ...agent, usage });
    const text = questions[n];
    if (text !== undefined)
      await rest.call("post_message", { ...agent, to: "@humans", content: { text, kind: "ask" } });
  }
  for (const agent of agents.slice(-left.blocked)) {
    await rest.call("set_status", { ...agent, status: "blocked", reason: "needs the staging key" });
  }
}

/** Moves everything in the database this many minutes into the past. Call it while the broker is stopped. */
export async function makeOlder(sql: ReturnType<typeof connectTestDatabase>, minutes: number): Promise<void> {
  await sql.begin(async (tx) => {
    // Triggers refuse any change of a message except a redaction.
    await tx`SET LOCAL session_replication_role = replica`;
    const older = tx`make_interval(mins => ${minutes})`;
    // A broker that has just started gives absent agents their time again, which is shortened here.
    await tx`UPDATE sessions SET created_at = created_at - ${older}, settings = settings || '{"claim_grace_s": 1}'`;
    await tx`UPDATE feeds SET last_posted_at = last_posted_at - ${older}`;
    await tx`UPDATE messages SET posted_at = posted_at - ${older}`;
    await tx`UPDATE tasks SET claimed_at = claimed_at - ${older}, renewed_at = renewed_at - ${older}`;
    await tx`UPDATE peers SET joined_at = joined_at - ${older}, last_seen_at = last_seen_at - ${older},
      last_polled_at = last_polled_at - ${older}, declared_at = declared_at - ${older}, summary_at = summary_at - ${older}`;
  });
}
