import {
  addUsage,
  countTokens,
  findSession,
  lockSession,
  saveHold,
  setTokensNear,
  type Transaction,
  type UsageReport,
  type UsedTokens,
} from "@merkle/db";
import type { ModelUsage, OutputOf, ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { SessionServices, TeamContext } from "../../sessions/context.js";
import { toSessionSettings } from "../../sessions/session-settings.js";

/**
 * Records the calling peer's usage, and stops agents from posting once a budget is used up (USAGE-1,
 * USAGE-5).
 */
export async function reportUsage(
  ctx: TeamContext<SessionServices>,
  { usage, task }: ParsedInputOf<"report_usage">,
): Promise<OutputOf<"report_usage">> {
  const { sessionId } = ctx.session;
  const { teamId, peer } = ctx.team;
  const used = usage.map(toUsed);
  return ctx.write(async (write) => {
    const reporter = { teamId, peerId: peer.peerId };
    return recordUsage(ctx.services, write, { sessionId, reporter, task: task ?? null, used });
  });
}

/**
 * Records the usage of a job's agent. If this uses up a budget, the next usage report by an agent detects
 * it.
 */
export async function addJobUsage(
  tx: Transaction,
  metrics: SessionServices["metrics"],
  { sessionId, usage = [] }: { sessionId: string | null; usage?: readonly ModelUsage[] | undefined },
): Promise<void> {
  // A job on a file belongs to no session, so it counts towards no budget.
  if (sessionId === null || usage.length === 0) return;
  const used = usage.map(toUsed);
  await addUsage(tx, { sessionId, reporter: null, task: null, used });
  await countTokens(tx, { sessionId, teamId: null, tokens: sumTokens(used) });
  countInMetrics(metrics, used);
}

function toUsed({ model, cost_usd, ...tokens }: ModelUsage): UsedTokens {
  return {
    model,
    inputTokens: tokens.input_tokens,
    outputTokens: tokens.output_tokens,
    cacheReadTokens: tokens.cache_read_tokens ?? 0,
    cacheWriteTokens: tokens.cache_write_tokens ?? 0,
    costMicros: cost_usd === undefined ? null : Math.round(cost_usd * 1_000_000),
  };
}

/** Adds a usage report to the sums and budgets, and announces the change. */
export async function recordUsage(
  services: Pick<SessionServices, "database" | "channels" | "mesh" | "metrics">,
  write: Write,
  report: UsageReport,
): Promise<OutputOf<"report_usage">> {
  const { sessionId, reporter, used } = report;
  await lockSession(write.tx, sessionId);
  const task = await addUsage(write.tx, report);
  const teamId = reporter?.teamId ?? null;
  const use = await countTokens(write.tx, { sessionId, teamId, tokens: sumTokens(used) });
  const isHeld = await enforceBudgets(services, write, sessionId, use);
  write.afterCommit(() => {
    countInMetrics(services.metrics, used);
    services.channels.announceChange(sessionId, "usage", services.channels.find(sessionId)?.head ?? 0);
  });
  return { task: task === 0 ? null : task, held: isHeld };
}

/**
 * Returns the tokens that count towards a budget. Tokens read from the model's cache do not count: they are by
 * far the most numerous, but cost only a fraction.
 */
function sumTokens(used: readonly UsedTokens[]): number {
  return used.reduce((sum, each) => sum + each.inputTokens + each.outputTokens + each.cacheWriteTokens, 0);
}

/** A human is asked once this fraction of a budget is used. */
const nearPart = 0.8;

/**
 * Asks a human what to do once a budget is nearly used up. Once the budget is used up, puts the session on
 * hold until a human resumes the session.
 */
async function enforceBudgets(
  { database, channels, mesh }: Pick<SessionServices, "database" | "channels" | "mesh">,
  { tx, announce, afterCommit }: Write,
  sessionId: string,
  use: Awaited<ReturnType<typeof countTokens>>,
): Promise<boolean> {
  const row = await findSession(tx, database.meshId, sessionId);
  if (!row || row.closedAt) return false;
  const { token_budget, team_token_budget } = toSessionSettings(row.settings);
  const budgets = [
    { who: "Agents", used: use.session, of: token_budget },
    { who: use.teamName ?? "", used: use.team, of: team_token_budget },
  ].filter(({ of }) => of > 0);
  const spent = budgets.find(({ used, of }) => used >= of);
  if (spent && !row.heldAt) {
    const hold = { by: "The token budget", reason: describe(spent), at: new Date() };
    await saveHold(tx, sessionId, hold);
    await setTokensNear(tx, sessionId, null);
    const event = { event: "session_held", ...hold, at: hold.at.toISOString() } as const;
    const { sequence } = await announce(sessionId, event, { causedBy: null });
    afterCommit(() => channels.announceChange(sessionId, "session", sequence));
  }
  const near = budgets.find(({ used, of }) => used >= of * nearPart);
  if (near && !spent && !use.isNear && !row.heldAt) {
    await setTokensNear(tx, sessionId, describe(near));
    afterCommit(() => mesh.announce("attention", sessionId));
  }
  return spent !== undefined;
}

function describe({ who, used, of }: { who: string; used: number; of: number }): string {
  return `${who} reported ${used.toLocaleString("en")} of ${of.toLocaleString("en")} tokens since a human last resumed them.`;
}

function countInMetrics(metrics: SessionServices["metrics"], used: readonly UsedTokens[]): void {
  for (const each of used) {
    metrics.usedTokens.inc({ kind: "input" }, each.inputTokens);
    metrics.usedTokens.inc({ kind: "output" }, each.outputTokens);
    metrics.usedTokens.inc({ kind: "cache_read" }, each.cacheReadTokens);
    metrics.usedTokens.inc({ kind: "cache_write" }, each.cacheWriteTokens);
    metrics.usedDollars.inc((each.costMicros ?? 0) / 1_000_000);
  }
}
