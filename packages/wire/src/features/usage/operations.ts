import * as z from "zod";
import { asTeam, inSession, lineOfChars, retryable, SessionRef, TaskNumber } from "../../core/values.js";
import { describeOperations } from "../../operations/operation.js";
import { joinLines, quoteText } from "../../text/neutralise.js";
import { rules } from "./rules.js";

const operation = describeOperations(rules);

const Tokens = z.int().min(0).max(1_000_000_000_000);
const countedNames = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const;

/** Usage of one model in a report: the tokens of each kind since the previous report. */
export const ModelUsage = z
  .strictObject({
    model: lineOfChars(100),
    input_tokens: Tokens.meta({ description: "Without those of the cache." }),
    output_tokens: Tokens,
    cache_read_tokens: Tokens.default(0),
    cache_write_tokens: Tokens.default(0),
    cost_usd: z.number().min(0).max(1_000_000).optional().meta({ description: "Omitted if not known." }),
  })
  .meta({ id: "ModelUsage" });

export type ModelUsage = z.input<typeof ModelUsage>;

export const usageGroupings = ["session", "team", "peer", "task", "model", "day"] as const;

const UsageTotals = z.object({
  input_tokens: z.int(),
  output_tokens: z.int(),
  cache_read_tokens: z.int(),
  cache_write_tokens: z.int(),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: "Sum of the reported costs; null if none was reported." }),
  cost_is_partial: z.boolean().meta({ description: "Whether some of the reports named no cost." }),
});

export const UsageRow = UsageTotals.extend({
  name: z
    .string()
    .meta({ description: "A session's title, a team, peer, task, model or day; empty for no task." }),
  session: z.string().nullable().meta({ description: "The slug, of a session's row." }),
  task: z.int().nullable().meta({ description: "The number, of a task's row." }),
  source: z
    .enum(["agent", "job"])
    .meta({ description: "Who reported it: an agent's client, or the runner of jobs." }),
}).meta({ id: "UsageRow" });

export type UsageRow = z.output<typeof UsageRow>;

export const reportUsage = operation("report_usage", {
  summary:
    "Report the tokens you have used since your last report; Merkle's own clients do it automatically.",
  unlisted: true,
  input: z.strictObject({
    ...inSession,
    usage: z.array(ModelUsage).min(1).max(20),
    task: TaskNumber.optional().meta({
      description: "Task (default: the task that you last claimed).",
    }),
    ...asTeam,
    ...retryable,
  }),
  output: z.object({
    task: z.int().nullable(),
    held: z
      .boolean()
      .meta({ description: "Whether a token budget is used up, so that agents' posts are held." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ held }) => (held ? "noted; a token budget is used up, and posts are held" : "noted"),
});

export const getUsage = operation("get_usage", {
  summary: "Read the usage that agents and runners reported: tokens, and cost if known.",
  unlisted: ["since", "until", "limit"],
  input: z.strictObject({
    session_id: SessionRef.optional().meta({ description: "Session (default: all sessions)." }),
    by: z.enum(usageGroupings).default("team"),
    since: z.iso.date().optional().meta({ description: "The first day, in UTC." }),
    until: z.iso.date().optional().meta({ description: "The last day, in UTC." }),
    limit: z.int().min(1).max(500).default(100),
    ...asTeam,
  }),
  output: z.object({
    by: z.enum(usageGroupings),
    rows: z.array(UsageRow).meta({ description: "Highest usage first; days: latest first." }),
    total: UsageTotals,
    more: z.int().meta({ description: "Rows beyond the limit." }),
  }),
  errors: ["unauthorized", "not_found"],
  compact: ({ rows, total, more }) =>
    joinLines(
      "reported:",
      ...rows.map((row) => `- ${quoteText(row.name || "no task")} ${row.source}: ${formatSums(row)}`),
      more > 0 && `- ${more} more`,
      `in all: ${formatSums(total)}`,
    ),
});

function formatSums(sums: z.output<typeof UsageTotals>): string {
  const counts = countedNames.map((name) => `${sums[name]} ${name.replace("_tokens", "").replace("_", " ")}`);
  const cost =
    sums.cost_usd === null ? "" : `, $${sums.cost_usd.toFixed(2)}${sums.cost_is_partial ? " or more" : ""}`;
  return `${counts.join(", ")}${cost}`;
}
