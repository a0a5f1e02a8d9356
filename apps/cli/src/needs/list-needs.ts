import type { OutputOf, Session } from "@merkle/wire";
import type { BrokerClient } from "../broker-client.js";
import { inParallel } from "../in-parallel.js";
import { oneLine } from "../one-line.js";
import type { Output } from "../output.js";
import { formatTable } from "../table.js";
import { needAdvice, needText } from "./format-need.js";
import type { Need } from "./needs.js";
import { readNeeds } from "./read-needs.js";

interface Showing {
  readonly broker: Pick<BrokerClient, "call">;
  readonly output: Output;
}

const sessionsAtOnce = 4;

/** Shows those sessions of a page that wait for a human, and for what (CLI-46). */
export async function listNeeds(page: OutputOf<"list_sessions">, { broker, output }: Showing): Promise<void> {
  const open = page.sessions.filter((session) => !session.session_closed);
  const read = await inParallel(open, sessionsAtOnce, async (session) => ({
    ...session,
    needs: await readNeeds(broker, session),
  }));
  const waiting = read.filter(({ needs }) => needs.length > 0);
  if (output.json) output.show({ sessions: waiting, next_cursor: page.next_cursor }, "");
  else if (waiting.length === 0) output.note("nothing needs you");
  else {
    output.show(waiting, waiting.map((each) => formatSession(each, output)).join("\n"));
    const [first] = waiting;
    const [need] = first?.needs ?? [];
    if (first && need) output.note(`  next: ${needAdvice(need, first.slug)}`);
  }
  if (page.next_cursor !== null)
    output.note(`  older sessions were not looked at: merkle ls --needs --limit 200, or --query <text>`);
}

function formatSession(session: Session & { readonly needs: readonly Need[] }, output: Output): string {
  const head = `${output.bold(session.slug)}  ${oneLine(session.title)}`;
  const rows = session.needs.map((need) => [
    { text: `  ${output.signs.blocked}`, paint: output.alarm },
    { text: needText(need) },
  ]);
  return `${head}\n${formatTable(rows, { columns: output.columns, flexible: 1, more: output.signs.more })}`;
}
