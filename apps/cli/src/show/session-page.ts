import type { OutputOf, Session } from "@merkle/wire";
import { sealText } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Output } from "../command/output.js";
import { toDashboardUrl } from "../dashboard-url.js";
import { counted } from "../duration.js";
import { needText } from "../needs/format-need.js";
import { indented, oneLine } from "../text/one-line.js";
import { toAge, toMoment } from "../text/time.js";
import { unreadText } from "../views/session-rows.js";
import { formatRoster } from "./roster.js";

/** A session as a page of text: title, state and counts, purpose, teams, and where the dashboard shows it. */
export async function formatSession(
  session: OutputOf<"get_session">,
  { broker, output }: { readonly broker: BrokerClient; readonly output: Output },
): Promise<string> {
  const { participants, folded } = await broker.call("list_participants", { session_id: session.session_id });
  const separator = ` ${output.dot} `;
  const counts = [
    counted(session.last_sequence, "message"),
    unreadText(session),
    `document v${session.document_version}`,
    saidText(session),
  ].filter((each) => each !== "");
  const head = [
    output.bold(oneLine(session.title)),
    [session.slug, stateText(session)].join(separator),
    counts.join(separator),
    ...sealLine(session, separator),
    ...heldText(session, output),
    toDashboardUrl(broker.base, session),
  ];
  const parts = [
    head.join("\n"),
    session.description.trim() === "" ? "" : indented(session.description.trimEnd()),
    participants.length === 0 ? "" : formatRoster(participants, output),
    folded === 0 ? "" : `  ${counted(folded, "more team")} never spoke nor polled`,
  ];
  return parts.filter((each) => each !== "").join("\n\n");
}

function stateText({ closed_at: closedAt, created_at: createdAt }: Session): string {
  return closedAt === null ? `open since ${toMoment(createdAt)}` : `closed ${toMoment(closedAt)}`;
}

function sealLine({ seal }: OutputOf<"get_session">, separator: string): string[] {
  if (seal === null) return [];
  return [[sealText(seal), toMoment(seal.at)].join(separator)];
}

/** What keeps agents from posting, or will: a line for each. */
function heldText(
  { slug, held, agent_messages, settings }: OutputOf<"get_session">,
  output: Output,
): string[] {
  const { message_budget: budget } = settings;
  const over = (text: string) => output.alarm(`${text}; end it: merkle resume ${slug}`);
  const said = `agents have said ${agent_messages} of ${budget} messages since the last human word`;
  return [
    ...(held === null ? [] : [over(needText({ kind: "held", ...held }))]),
    ...(budget === 0 ? [] : [agent_messages >= budget ? over(said) : said]),
  ];
}

function saidText({ last_said_at: at, last_said_by: by }: Session): string {
  return at === null ? "nothing said" : `${oneLine(by ?? "")} spoke ${toAge(at)} ago`;
}
