import type { OutputOf, Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command, CommandContext } from "../../command/command.js";
import { limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import { toSessionPath } from "../../core/address.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { readOneOf } from "../../core/flag-values.js";
import { findFlag, isSet } from "../../core/flags.js";
import { type Actor, findSelf, getReadingActor, getSessionActor } from "../../identity/actors.js";
import { openPage } from "../../identity/open-page.js";
import { getSession } from "../../sessions/find-session.js";
import { listTaskColumns } from "./format-tasks.js";

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
    limitFlag(limits.tasksPageDefault, limits.tasksPageMax),
    webFlag,
  ],
  examples: [
    "merkle tasks",
    "merkle tasks split-auth --state ready",
    "merkle tasks split-auth --mine --limit 20 --json",
  ],
  list: { operation: "list_tasks", rows: "tasks", added: ["session"] },
  async run(context) {
    const {
      args: [name],
      flags,
      config,
      signal,
    } = context;
    const state = readOneOf(findFlag(flags, "state"), "--state", states);
    const label = findFlag(flags, "label");
    const isMine = isSet(flags, "mine");
    const limit = readLimit(flags, limits.tasksPageMax) ?? limits.tasksPageDefault;
    const isOfAllSessions = name === undefined && config.session === undefined;
    const narrowing = [state && "--state", isMine && "--mine", label && "--label"].find(Boolean);
    if (isOfAllSessions && narrowing)
      throw usageError(`${narrowing} needs a session: merkle tasks <session> ${narrowing}.`, "merkle ls");
    const broker = await findBroker(config, signal);
    if (isOfAllSessions) {
      if (isSet(flags, "web")) return openPage(context, broker, "/tasks");
      return showPage(await broker.call("list_all_tasks", { limit }), context);
    }
    const session = await getSession(broker, name, config);
    if (isSet(flags, "web")) return openPage(context, broker, toSessionPath(session, "tasks"));
    const reader = await findReader(session, { broker, config, isMine });
    // A home without a person holds no task, and reading creates no person.
    if (reader === null) return showPage({ tasks: [], next_after: null, total: 0 }, context);
    const input = { session_id: session.session_id, state: state ?? "unfinished", mine: isMine, limit };
    const page = await reader.call("list_tasks", { ...input, ...(label === undefined ? {} : { label }) });
    return showPage(page, context);
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

async function showPage(
  page: OutputOf<"list_tasks"> | OutputOf<"list_all_tasks">,
  context: CommandContext,
): Promise<number> {
  const columns = listTaskColumns(context.output);
  const list = { value: page, rows: page.tasks, columns, total: page.total, empty: "  no tasks" };
  await showList(list, context);
  return exitCodes.done;
}
