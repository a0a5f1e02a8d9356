import type { InputOf, OutputOf, UsageRow } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag } from "../../core/flags.js";
import { getReadingActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";
import { displayWidth, formatTable } from "../../text/table.js";

const groupings = ["session", "team", "peer", "task", "model", "day"] as const;

export const usage: Command = {
  name: "usage",
  summary: "show reported token usage of agents and jobs, and its cost where known",
  arguments: [
    {
      name: "[session]",
      summary: "session slug, id or exact title (default: MERKLE_SESSION, otherwise all sessions)",
    },
  ],
  flags: [
    {
      flags: "--by <what>",
      summary: "group by session, team, peer, task, model or day (default: team; for all sessions: session)",
    },
    { flags: "--since <day>", summary: "first day, such as 2026-05-01, in UTC" },
    { flags: "--until <day>", summary: "last day, in UTC" },
  ],
  examples: ["merkle usage", "merkle usage split-auth --by task", "merkle usage --by day --since 2026-05-01"],
  async run({ args: [name], flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const isOneSession = name !== undefined || config.session !== undefined;
    const session = isOneSession ? await getSession(broker, name, config) : undefined;
    const reader = await getReadingActor({ broker, config });
    const answer = await reader.call("get_usage", {
      by: readBy(findFlag(flags, "by") ?? (isOneSession ? "team" : "session")),
      ...(session && { session_id: session.session_id }),
      ...toDayRange(findFlag(flags, "since"), findFlag(flags, "until")),
    });
    if (output.json || answer.rows.length > 0) output.show(answer, formatUsage(answer, output));
    else output.note("  no usage reported");
    return exitCodes.done;
  },
};

function readBy(text: string): InputOf<"get_usage">["by"] {
  const by = groupings.find((each) => each === text);
  if (by === undefined)
    throw usageError(`--by must be one of ${groupings.join(", ")}, got ${JSON.stringify(text)}.`);
  return by;
}

function toDayRange(since: string | undefined, until: string | undefined) {
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

type Sums = OutputOf<"get_usage">["total"];

function formatUsage({ rows, total, more }: OutputOf<"get_usage">, output: Output): string {
  const toTable = (head: readonly string[], toCount: (count: number) => string) => {
    const sums = [head, ...[...rows, total].map((row) => formatCells(row, toCount))];
    const widths = head.map((_, column) => Math.max(...sums.map((cells) => cells[column]?.length ?? 0)));
    return sums.map((cells) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  "));
  };
  const names = ["reported", ...rows.map(formatName), "total"];
  const whole = toTable(["input", "output", "cache read", "cache write", "cost"], (count) =>
    count.toLocaleString("en"),
  );
  const room = output.columns - (whole[0]?.length ?? 0) - 2;
  const isWide = room >= Math.min(24, Math.max(...names.map(displayWidth)));
  const sums = isWide
    ? whole
    : toTable(["input", "output", "cached", "to cache", "cost"], formatCompactCount);
  const lines = names.map((name, row) => [{ text: name }, { text: sums[row] ?? "" }]);
  const [first = "", ...rest] = formatTable(lines, {
    columns: output.columns,
    flexible: 0,
    more: output.signs.more,
  }).split("\n");
  return [output.dim(first), ...rest, ...(more > 0 ? [output.dim(`${more} more rows`)] : [])].join("\n");
}

/** Shortens a count, for example to `1.6M`, where the full number does not fit. */
function formatCompactCount(count: number): string {
  return count.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
}

function formatName({ name, task, source }: UsageRow): string {
  const what = task === null ? name || "no task" : `${task} ${name}`;
  return `${toOneLine(what)}${source === "job" && name !== "jobs" ? " (jobs)" : ""}`;
}

function formatCells(sums: Sums, toCount: (count: number) => string): string[] {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, cost_is_partial } =
    sums;
  const counts = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens];
  const cost = cost_usd === null ? "" : `${cost_is_partial ? ">" : ""}$${cost_usd.toFixed(2)}`;
  return [...counts.map(toCount), cost];
}
