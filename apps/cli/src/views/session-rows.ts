import type { Session } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Output } from "../command/output.js";
import { inParallel } from "../core/in-parallel.js";
import { rosterCell } from "../show/roster.js";
import { oneLine } from "../text/one-line.js";
import { type Cell, formatTable } from "../text/table.js";
import { toAge } from "../text/time.js";

interface Showing {
  readonly broker: Pick<BrokerClient, "call">;
  readonly output: Output;
}

const rostersAtOnce = 8;

/** One line for each session: slug, title, who is there, when something was said, the document, what is unread. */
export async function formatSessions(
  sessions: readonly Session[],
  { broker, output }: Showing,
): Promise<string> {
  const rows = await inParallel(
    sessions,
    rostersAtOnce,
    async (session): Promise<Cell[]> => [
      { text: session.slug, paint: output.bold },
      { text: oneLine(session.title) },
      await teamsCell(session, { broker, output }),
      { text: lastEvent(session), paint: output.dim },
      { text: `v${session.document_version}` },
      { text: unreadText(session) },
    ],
  );
  return formatTable(rows, { columns: output.columns, flexible: 1, more: output.signs.more });
}

/** Who is in it matters while it is open; a closed one has nobody to look at. */
async function teamsCell(session: Session, { broker, output }: Showing): Promise<Cell> {
  if (session.session_closed || session.teams === 0) return { text: "" };
  const { participants } = await broker.call("list_participants", { session_id: session.session_id });
  return rosterCell(participants, output);
}

function lastEvent({ closed_at: closedAt, last_said_at: saidAt }: Session): string {
  if (closedAt !== null) return `closed ${toAge(closedAt)}`;
  return saidAt === null ? "nothing said" : `said ${toAge(saidAt)}`;
}

/** `4 new`, for a person who has read there before. */
export function unreadText({ last_read: read, last_sequence: last }: Session): string {
  return read === null || read >= last ? "" : `${last - read} new`;
}
