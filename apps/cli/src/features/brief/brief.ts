import { type BriefLine, formatBriefLine, type InputOf, type SessionBrief } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, formatRows } from "../../command/list.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { readSince } from "../../feed/tail/tail-options.js";
import { getReadingActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { toOneLine } from "../../text/one-line.js";

export const brief: Command = {
  name: "brief",
  summary:
    "show what changed since you last read: questions and reviews for you, answers, decisions, tasks, document, state, people",
  arguments: [
    {
      name: "[session]",
      summary: "session slug, id or exact title (default: all sessions that you have read)",
    },
  ],
  flags: [
    {
      flags: "--since <when>",
      summary:
        'where to start: a message number of the session (405), an age (10m, 2h, 3d) or "unread" (default: unread)',
    },
    { flags: "--summary", summary: "add a summary by the broker's summariser, if it has one" },
  ],
  examples: [
    "merkle brief",
    "merkle brief split-auth --since 2h",
    "merkle brief split-auth --since 0 --json",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const session = name === undefined ? undefined : await getSession(broker, name, config);
    const reader = await getReadingActor({ broker, config });
    const since = toInput(findFlag(flags, "since"), session !== undefined);
    const answer = await reader.call("brief", {
      ...since,
      ...(session && { session: session.session_id }),
      ...(isSet(flags, "summary") && { summary: true }),
    });
    if (output.json) output.show(answer, "");
    else if (answer.sessions.every(({ lines }) => lines.length === 0))
      output.note(session ? "nothing new" : "nothing new in the sessions that you have read");
    else
      await output.page(
        answer,
        [...answer.sessions.map((each) => formatBrief(each, output)), ...formatSummary(answer.summary)].join(
          "\n\n",
        ),
      );
    return exitCodes.done;
  },
};

function toInput(
  flag: string | undefined,
  isOneSession: boolean,
): Pick<InputOf<"brief">, "since" | "since_cursor"> {
  const since = readSince(flag);
  if (since === undefined || since.is === "unread") return {};
  if (since.is === "ago") return { since: new Date(Date.now() - since.seconds * 1_000).toISOString() };
  if (isOneSession) return { since_cursor: since.sequence };
  throw usageError(`--since ${since.sequence} is a message number: name its session.`);
}

function formatSummary(summary: string | null | undefined): string[] {
  if (summary === undefined) return [];
  return [
    summary === null
      ? "No summary: the broker has no summariser, or it did not answer."
      : `Summary by a model: ${neutralise(summary)}`,
  ];
}

function formatBrief(
  { session, title, after, up_to, lines, left_out }: SessionBrief,
  output: Output,
): string {
  const columns: Column<string>[] = [
    { head: "", cell: () => ({ text: session, paint: output.bold }) },
    { head: "", widthMin: 8, cell: toOneLine },
    { head: "", cell: () => ({ text: `#${after + 1} to #${up_to}`, paint: output.dim }) },
  ];
  const head = formatRows([title], columns, output);
  const more =
    left_out > 0 ? [output.dim(`  ${left_out} more: merkle tail ${session} --since ${after}`)] : [];
  return [head, ...lines.map((line) => formatLine(line, output)), ...more].join("\n");
}

/**
 * Indents all lines after the first, so that text written by others stays visibly below the line that it
 * belongs to.
 */
function formatLine(line: BriefLine, output: Output): string {
  const [first = "", ...rest] = neutralise(formatBriefLine(line)).split("\n");
  const shown =
    line.kind === "ask" || line.kind === "review" || line.unanswered ? output.alarm(first) : first;
  return [`  ${shown}`, ...rest.map((each) => `    ${each}`)].join("\n");
}
