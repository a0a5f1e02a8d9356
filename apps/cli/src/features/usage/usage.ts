import type { InputOf, OutputOf, UsageRow } from "@merkle/wire";
import { formatNumber } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getReadingActor } from "../../identity/actors.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";

/** The broker's default, for `merkle help`. */
const rowsUsual = 100;
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
    limitFlag(rowsUsual),
    webFlag,
  ],
  examples: ["merkle usage", "merkle usage split-auth --by task", "merkle usage --by day --since 2026-05-01"],
  list: { operation: "get_usage", rows: "rows" },
  async run(context) {
    const { args, flags, config, output, signal } = context;
    const [name] = args;
    const broker = await findBroker(config, signal);
    const isOneSession = name !== undefined || config.session !== undefined;
    const session = isOneSession ? await getSession(broker, name, config) : undefined;
    if (isSet(flags, "web")) return openPage(context, broker, session ? toSessionPath(session) : "/agents");
    const reader = await getReadingActor({ broker, config });
    const limit = readLimit(flags);
    const answer = await reader.call("get_usage", {
      by: readBy(findFlag(flags, "by") ?? (isOneSession ? "team" : "session")),
      ...(session && { session_id: session.session_id }),
      ...toDayRange(findFlag(flags, "since"), findFlag(flags, "until")),
      ...(limit !== undefined && { limit }),
    });
    const { rows, total, more } = answer;
    // The sum is the last line.
    const lines = output.json || rows.length === 0 ? rows : [...rows, { ...total, name: "total" }];
    await showList<UsageLine>(
      {
        value: answer,
        rows: lines,
        columns: listColumns(output),
        empty: "  no usage reported",
        ...(more > 0 && { foot: `${more} more ${more === 1 ? "row" : "rows"}: --limit lists more` }),
      },
      context,
    );
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

/** A row of the reply, or the sum of all rows. */
type UsageLine = Sums & { readonly name: string } & Partial<Pick<UsageRow, "task" | "source">>;

/** Minimum width at which the counts are printed in full. */
const fullCountsMin = 100;

function listColumns({ columns: width }: Output): Column<UsageLine>[] {
  const toText = width < fullCountsMin ? formatCompactCount : formatNumber;
  const toColumn = (head: string, read: (line: UsageLine) => number): Column<UsageLine> => ({
    head,
    align: "right",
    cell: (line) => toText(read(line)),
  });
  return [
    { head: "Reported", widthMin: 12, cell: formatName },
    toColumn("Input", (line) => line.input_tokens),
    toColumn("Output", (line) => line.output_tokens),
    toColumn("Cache read", (line) => line.cache_read_tokens),
    toColumn("Cache write", (line) => line.cache_write_tokens),
    { head: "Cost", align: "right", cell: formatCost },
  ];
}

/** Shortens a count, for example to `1.6M`, where the full number does not fit. */
function formatCompactCount(count: number): string {
  return count.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });
}

function formatName({ name, task = null, source }: UsageLine): string {
  const what = task === null ? name || "no task" : `${task} ${name}`;
  return `${toOneLine(what)}${source === "job" && name !== "jobs" ? " (jobs)" : ""}`;
}

function formatCost({ cost_usd, cost_is_partial }: UsageLine): string {
  return cost_usd === null ? "" : `${cost_is_partial ? ">" : ""}$${cost_usd.toFixed(2)}`;
}
