import type { OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { readOneOf, readWholeNumber } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { type Actor, findSelf, getReadingActor, getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { formatTasks } from "./format-tasks.js";

const states = [
  "unfinished",
  "ready",
  "open",
  "blocked",
  "claimed",
  "in_review",
  "done",
  "cancelled",
  "all",
] as const;

export const tasks: Command = {
  name: "tasks",
  summary: "list the tasks of a session, or the unfinished tasks of all sessions",
  arguments: [
    {
      name: "[session]",
      summary: "session slug, id or exact title (default: MERKLE_SESSION, otherwise all sessions)",
    },
  ],
  flags: [
    {
      flags: `--state <${states.join("|")}>`,
      summary: "with a session: only tasks in this state (default: unfinished)",
    },
    { flags: "--mine", summary: "with a session: only tasks that you hold or that are assigned to you" },
    { flags: "--label <label>", summary: "with a session: only tasks with this label" },
    { flags: "--limit <number>", summary: "maximum number of results, up to 500 (default: 100)" },
  ],
  examples: [
    "merkle tasks",
    "merkle tasks split-auth --state ready",
    "merkle tasks split-auth --mine --limit 20 --json",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    const state = readOneOf(findFlag(flags, "state"), "--state", states);
    const label = findFlag(flags, "label");
    const isMine = isSet(flags, "mine");
    const bounds = { min: 1, max: limits.tasksPageMax };
    const limit = readWholeNumber(findFlag(flags, "limit"), "--limit", bounds) ?? limits.tasksPageDefault;
    const isOfAllSessions = name === undefined && config.session === undefined;
    const narrowing = [state && "--state", isMine && "--mine", label && "--label"].find(Boolean);
    if (isOfAllSessions && narrowing)
      throw usageError(`${narrowing} needs a session: merkle tasks <session> ${narrowing}.`, "merkle ls");
    const broker = await findBroker(config, signal);
    if (isOfAllSessions) {
      showPage(await broker.call("list_all_tasks", { limit }), output);
      return exitCodes.done;
    }
    const session = await getSession(broker, name, config);
    const reader = await findReader(session, { broker, config, isMine });
    // A home without a person holds no task, and reading creates no person.
    if (reader === null) {
      showPage({ tasks: [], next_after: null, total: 0 }, output);
      return exitCodes.done;
    }
    const input = { session_id: session.session_id, state: state ?? "unfinished", mine: isMine, limit };
    showPage(
      await reader.call("list_tasks", { ...input, ...(label === undefined ? {} : { label }) }),
      output,
    );
    return exitCodes.done;
  },
};

/** Returns the actor that reads the list. Its own tasks are those of its team. Null if it has no team. */
async function findReader(
  session: Session,
  { isMine, ...context }: Parameters<typeof findSelf>[0] & { readonly isMine: boolean },
): Promise<Actor | null> {
  if (!isMine) return getReadingActor(context);
  const { agent, person } = await findSelf(context);
  if (agent) return getSessionActor(session, context);
  return person && getReadingActor(context);
}

function showPage(page: OutputOf<"list_tasks"> | OutputOf<"list_all_tasks">, output: Output): void {
  const { tasks, total } = page;
  if (output.json || tasks.length > 0) output.show(page, formatTasks(tasks, output));
  else output.note("  no tasks");
  if (tasks.length < total) output.note(`  ${tasks.length} of ${total} tasks: --limit shows more`);
}
