import { limits } from "@merkle/wire/limits";
import { findBroker } from "../broker/broker-client.js";
import { describeDemoSession, findDemoSession } from "../broker/demo-room.js";
import type { Command, CommandContext } from "../command/command.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { getReadingActor } from "../identity/actors.js";
import { listNeeds } from "../views/list-needs.js";
import { formatSessions } from "../views/session-rows.js";

export const ls: Command = {
  name: "ls",
  summary: "list sessions, most recently active first",
  flags: [
    { flags: "--state <open|closed|all>", summary: "session state (default: open)" },
    { flags: "--query <text>", summary: "only sessions whose title, description or slug contains this text" },
    { flags: "--limit <number>", summary: "maximum number of results, up to 200 (default: 50)" },
    {
      flags: "--needs",
      summary:
        "only sessions and files that need a human: a question, a proposal, a failed job, a blocked peer, a hold, a spent budget or a quiet session",
    },
    { flags: "--watch", summary: "keep the list updated; press q or Ctrl+C to stop" },
  ],
  examples: ["merkle ls", "merkle ls --watch", "merkle ls --needs", "merkle ls --state all --query auth"],
  async run(context) {
    const { flags, config, output, signal } = context;
    const status = readState(flags);
    const limit = readLimit(flags, limits.sessionsPageDefault, limits.sessionsPageMax);
    const query = findFlag(flags, "query");
    const broker = await findBroker(config, signal);
    const reader = await getReadingActor({ broker, config });
    const needs = isSet(flags, "needs");
    if (isSet(flags, "watch")) {
      if (needs) throw usageError("--watch always shows the whole list: leave out --needs.", "merkle inbox");
      const read = async () => {
        const page = await reader.call("list_sessions", { status, limit, ...(query ? { query } : {}) });
        const isEmpty = page.sessions.length === 0;
        const text = isEmpty ? describeNoSessions(status, query) : formatSessions(page.sessions, output);
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
    if (output.json) output.show(page, "");
    else if (page.sessions.length === 0) {
      output.note(describeNoSessions(status, query));
      const room = await findDemoSession(broker, signal);
      if (room !== undefined) output.note(describeDemoSession(room));
    } else {
      output.show(page, formatSessions(page.sessions, output));
      if (page.next_cursor !== null)
        output.note(`  more: merkle ls --limit ${limits.sessionsPageMax}, or --query <text>`);
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

function readLimit(flags: CommandContext["flags"], usual: number, max: number): number {
  const text = findFlag(flags, "limit");
  if (text === undefined) return usual;
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
  throw usageError(`--limit must be a whole number from 1 to ${max}, got ${JSON.stringify(text)}.`);
}

function describeNoSessions(state: State, query: string | undefined): string {
  const kind = state === "all" ? "" : `${state} `;
  if (query) return `no ${kind}session matches ${JSON.stringify(query)}`;
  return `no ${kind}sessions.  next: merkle new <title>`;
}
