import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import { describeDemoSession, findDemoSession } from "../broker/demo-room.js";
import type { Command, CommandContext } from "../command/command.js";
import { formatRows, limitFlag, readLimit, showList, webFlag } from "../command/list.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { getReadingActor } from "../identity/actors.js";
import { openPage } from "../identity/open-page.js";
import { listNeeds } from "../views/list-needs.js";
import { listSessionColumns } from "../views/session-rows.js";

export const ls: Command = {
  name: "ls",
  summary: "list sessions, most recently active first",
  flags: [
    { flags: "--state <open|closed|all>", summary: "session state (default: open)" },
    { flags: "--query <text>", summary: "only sessions whose title, description or slug contains this text" },
    limitFlag(limits.sessionsPageDefault, limits.sessionsPageMax),
    {
      flags: "--needs",
      summary:
        "only sessions and files that need a human: a question, a proposal, a failed job, a blocked peer, a hold, a spent budget or a quiet session",
    },
    { flags: "--watch", summary: "keep the list updated; press q or Ctrl+C to stop" },
    webFlag,
  ],
  examples: [
    "merkle ls",
    "merkle ls --watch",
    "merkle ls --needs",
    "merkle ls --state all --query auth",
    "merkle ls --json slug,status",
  ],
  list: { operation: "list_sessions", rows: "sessions" },
  async run(context) {
    const { flags, config, output, signal } = context;
    const status = readState(flags);
    const limit = readLimit(flags, limits.sessionsPageMax);
    const query = findFlag(flags, "query");
    const needs = isSet(flags, "needs");
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, needs ? "/needs-you" : "/");
    const reader = await getReadingActor({ broker, config });
    const columns = listSessionColumns(output);
    if (isSet(flags, "watch")) {
      if (needs) throw usageError("--watch always shows the whole list: leave out --needs.", "merkle inbox");
      const read = async () => {
        const page = await reader.call("list_sessions", { status, limit, ...(query ? { query } : {}) });
        const isEmpty = page.sessions.length === 0;
        const text = isEmpty ? describeNoSessions(status, query) : formatRows(page.sessions, columns, output);
        return { value: page, text };
      };
      const { watchList } = await import("../views/watch/watch-list.js");
      return watchList({ context, broker, kinds: ["sessions"], read });
    }
    const page = await reader.call("list_sessions", { status, limit, needs, ...(query ? { query } : {}) });
    if (needs) {
      // Source files have no title and cannot be concluded.
      const isSelected = ({ source_path }: { source_path: string }) =>
        status !== "closed" && includesIgnoringCase(source_path, query ?? "");
      await listNeeds(page, { reader, output, isSelected });
      return exitCodes.done;
    }
    await showList(
      {
        value: page,
        rows: page.sessions,
        columns,
        total: query ? undefined : countSessions(page.counts, status),
        hasMore: page.next_cursor !== null,
        rest: `--limit ${limits.sessionsPageMax} or --query <text> lists others`,
        empty: describeNoSessions(status, query),
      },
      context,
    );
    const { closed } = page.counts;
    if (status === "open" && !query && closed > 0 && !output.json)
      output.note(`  ${closed.toLocaleString("en")} closed: merkle ls --state closed`);
    if (page.sessions.length === 0 && !output.json) {
      const room = await findDemoSession(broker, signal);
      if (room !== undefined) output.note(describeDemoSession(room));
    }
    return exitCodes.done;
  },
};

function includesIgnoringCase(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

type State = "open" | "closed" | "all";

function readState(flags: CommandContext["flags"]): State {
  const text = findFlag(flags, "state") ?? "open";
  if (text === "open" || text === "closed" || text === "all") return text;
  throw usageError(`--state must be open, closed or all, got ${JSON.stringify(text)}.`);
}

/** Returns how many sessions of the mesh have the state. */
function countSessions({ active, closed }: OutputOf<"list_sessions">["counts"], state: State): number {
  return (state === "closed" ? 0 : active) + (state === "open" ? 0 : closed);
}

function describeNoSessions(state: State, query: string | undefined): string {
  const kind = state === "all" ? "" : `${state} `;
  if (query) return `no ${kind}session matches ${JSON.stringify(query)}`;
  return `no ${kind}sessions.  next: merkle new <title>`;
}
