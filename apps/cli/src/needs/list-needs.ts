import type { OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/plain";
import { oneLine } from "../one-line.js";
import type { Output } from "../output.js";
import type { Actor } from "../person/acting.js";
import { formatTable } from "../table.js";
import { needAdvice, needText } from "./format-need.js";
import type { Need } from "./needs.js";
import { readNeeds } from "./read-needs.js";

interface Showing {
  readonly reader: Actor;
  readonly output: Output;
}

/** Shows a page of sessions that wait for a human, and for what (CLI-46). */
export async function listNeeds(page: OutputOf<"list_sessions">, { reader, output }: Showing): Promise<void> {
  const needs = await readNeeds(reader, page.sessions);
  const read = page.sessions.map((session, index) => ({ ...session, needs: needs[index] ?? [] }));
  // What was settled between the two calls waits no more.
  const waiting = read.filter((session) => session.needs.length > 0);
  if (output.json) output.show({ sessions: waiting, next_cursor: page.next_cursor }, "");
  else if (waiting.length === 0) output.note("nothing needs you");
  else {
    output.show(waiting, waiting.map((each) => formatSession(each, output)).join("\n"));
    const [first] = waiting;
    const [need] = first?.needs ?? [];
    if (first && need) output.note(`  next: ${needAdvice(need, first.slug)}`);
  }
  if (page.next_cursor !== null)
    output.note(`  more: merkle ls --needs --limit ${limits.sessionsPageMax}, or --query <text>`);
}

function formatSession(session: Session & { readonly needs: readonly Need[] }, output: Output): string {
  const head = `${output.bold(session.slug)}  ${oneLine(session.title)}`;
  const rows = session.needs.map((need) => [
    { text: `  ${output.signs.blocked}`, paint: output.alarm },
    { text: needText(need) },
  ]);
  return `${head}\n${formatTable(rows, { columns: output.columns, flexible: 1, more: output.signs.more })}`;
}
