import { formatSealSummary, formatUnread, type OutputOf, type Session } from "@merkle/wire";
import { describeBytes } from "@merkle/wire/text";
import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { toDashboardUrl } from "../core/address.js";
import { exitCodes } from "../core/cli-error.js";
import { getReadingActor } from "../identity/actors.js";
import { getSession } from "../sessions/find-session.js";
import { indentText, toOneLine } from "../text/one-line.js";
import { formatCount, toAge, toMoment } from "../text/time.js";
import { formatNeed } from "../views/needs.js";
import { formatRoster } from "../views/session-rows.js";

export const show: Command = {
  name: "show",
  summary: "show a session's goal, state and participants",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  examples: [
    "merkle show split-auth",
    'merkle show "Split the auth service"',
    "merkle show split-auth --json",
  ],
  async run({ args: [name], config, output, signal }) {
    const broker = await findBroker(config, signal);
    const match = await getSession(broker, name, config);
    const reader = await getReadingActor({ broker, config });
    const session = await reader.call("get_session", { session_id: match.session_id });
    if (output.json) {
      output.show(session, "");
      return exitCodes.done;
    }
    await output.page(session, await formatSession(session, { broker, output }));
    return exitCodes.done;
  },
};

/**
 * Formats a session as a page of text: title, state and counts, description, teams, and the dashboard's
 * address.
 */
async function formatSession(
  session: OutputOf<"get_session">,
  { broker, output }: { readonly broker: BrokerClient; readonly output: Output },
): Promise<string> {
  const { participants, folded } = await broker.call("list_participants", { session_id: session.session_id });
  const separator = ` ${output.dot} `;
  const counts = [
    formatCount(session.last_sequence, "message"),
    formatUnread(session.unread),
    session.document_version === 0 ? "no document yet" : `document v${session.document_version}`,
    // The broker updates the session's size once an hour.
    session.bytes === 0 ? "" : describeBytes(session.bytes),
    describeLastMessage(session),
  ].filter((each) => each !== "");
  const head = [
    output.bold(toOneLine(session.title)),
    [session.slug, describeState(session)].join(separator),
    counts.join(separator),
    ...formatSealLine(session, separator),
    ...describeHold(session, output),
    toDashboardUrl(broker.base, session),
  ];
  const parts = [
    head.join("\n"),
    session.description.trim() === "" ? "" : indentText(session.description.trimEnd()),
    participants.length === 0 ? "" : formatRoster(participants, output),
    folded === 0 ? "" : `  ${formatCount(folded, "more team")} never posted or checked for messages`,
  ];
  return parts.filter((each) => each !== "").join("\n\n");
}

function describeState({
  archived_at: archivedAt,
  closed_at: closedAt,
  created_at: createdAt,
}: Session): string {
  if (archivedAt !== null) return `archived ${toMoment(archivedAt)}`;
  return closedAt === null ? `open since ${toMoment(createdAt)}` : `closed ${toMoment(closedAt)}`;
}

function formatSealLine({ seal }: OutputOf<"get_session">, separator: string): string[] {
  if (seal === null) return [];
  return [[formatSealSummary(seal), toMoment(seal.at)].join(separator)];
}

/** Returns lines about a hold or a used-up message budget. Both prevent agents from posting. */
function describeHold(
  { slug, held, agent_messages, settings }: OutputOf<"get_session">,
  output: Output,
): string[] {
  const { message_budget: budget } = settings;
  const formatAlarm = (text: string) => output.alarm(`${text}; resume it: merkle resume ${slug}`);
  const budgetText = `agents have posted ${agent_messages} of ${budget} messages since the last message from a human`;
  return [
    ...(held === null ? [] : [formatAlarm(formatNeed({ kind: "held", ...held }))]),
    ...(budget === 0 ? [] : [agent_messages >= budget ? formatAlarm(budgetText) : budgetText]),
  ];
}

/**
 * Describes the last message. Empty for an archived session, for which the broker does not report the last
 * message.
 */
function describeLastMessage({ archived_at, last_said_at: at, last_said_by: by }: Session): string {
  if (archived_at !== null) return "";
  return at === null ? "no messages" : `${toOneLine(by ?? "")} posted ${toAge(at)} ago`;
}
