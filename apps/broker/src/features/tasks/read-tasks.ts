import { countTasks, findTask, listTaskEvents, listTaskRows, listUnfinishedTasks } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { parseContent } from "../../core/message.js";
import type { Context, SessionContext } from "../../sessions/context.js";
import type { TaskServices } from "./services.js";
import { noSuchTask, toTask } from "./task.js";

/** Lists a session's tasks by number. By default, only unfinished tasks. */
export async function listTasks(
  ctx: SessionContext<TaskServices>,
  { state, mine, label, order, after, limit }: ParsedInputOf<"list_tasks">,
): Promise<OutputOf<"list_tasks">> {
  const { team, person, services, session } = ctx;
  const caller = team && { teamId: team.teamId, peerId: team.peer.peerId };
  // A person who has not joined the session holds no task and is assigned none.
  if (mine && !caller && person) return { tasks: [], next_after: null, total: 0 };
  if (mine && !caller)
    throw new MerkleError(
      "bad_request",
      "Only a team can list its own tasks. Pass your team's credential, or list all tasks.",
    );
  const { orm } = services.database;
  const { sessionId } = session;
  const filter = { state, mine: mine ? caller : null, readyFor: caller, label };
  const rows = await listTaskRows(orm, sessionId, { ...filter, order, after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const isComplete = after === 0 && rows.length <= limit;
  return {
    tasks: shown.map((row) => toTask(row, ctx)),
    next_after: rows.length > limit ? (shown.at(-1)?.number ?? null) : null,
    total: isComplete ? rows.length : await countTasks(orm, sessionId, filter),
  };
}

/** Lists the unfinished tasks in all open sessions of the mesh. */
export async function listAllTasks(
  ctx: Context<TaskServices>,
  { query = "", limit }: ParsedInputOf<"list_all_tasks">,
): Promise<OutputOf<"list_all_tasks">> {
  const { orm, meshId } = ctx.services.database;
  const words = query.split(/\s+/).filter((each) => each !== "");
  const { tasks, total } = await listUnfinishedTasks(orm, meshId, { words, limit });
  return {
    tasks: tasks.map((row) => ({ ...toTask(row, ctx), session: row.slug, session_title: row.sessionTitle })),
    total,
  };
}

const historyMax = 100;

/** Returns a task with its events from the feed, which are its only history (TASK-10). */
export async function getTask(
  ctx: SessionContext<TaskServices>,
  { task: number }: ParsedInputOf<"get_task">,
): Promise<OutputOf<"get_task">> {
  const { orm } = ctx.services.database;
  const { sessionId, slug } = ctx.session;
  const key = { sessionId, number };
  const [row, events] = await Promise.all([findTask(orm, key), listTaskEvents(orm, key, historyMax)]);
  if (!row) throw noSuchTask(slug, number);
  return { ...toTask(row, ctx), history: events.reverse().map(toHistory) };
}

type History = OutputOf<"get_task">["history"][number];

function toHistory({ sequence, content }: { sequence: number; content: string }): History {
  // Only the tasks feature creates these events, so their content has this type.
  const { change, by, reason, at } = parseContent(content) as unknown as History;
  return { sequence, change, by, reason: reason ?? null, at };
}
