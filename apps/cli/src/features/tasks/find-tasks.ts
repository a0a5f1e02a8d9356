import type { OutputOf, Session, Task } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { neutralise } from "@merkle/wire/text";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { type Actor, getReadingActor } from "../../identity/actors.js";
import { toOneLine } from "../../text/one-line.js";

/** How many of the tasks that a text may mean are named. */
const candidatesMax = 8;

/** Returns a function that finds the task that a text names. Reads the session's tasks at most once. */
export function createTaskFinder(
  session: Session,
  context: Parameters<typeof getReadingActor>[0],
): (text: string) => Promise<number> {
  let unfinished: Promise<readonly Task[]> | undefined;
  return async (text) => {
    const number = parseTaskNumber(text);
    if (number !== null) return number;
    if (text.trim() === "") throw usageError("Name a task by its number or by a part of its title.");
    unfinished ??= getReadingActor(context).then((reader) => listUnfinishedTasks(reader, session));
    return selectTask(await unfinished, text.trim(), session);
  };
}

/** Splits a list of tasks such as `3,rotate tokens`. */
export function splitTasks(list: string): string[] {
  return list.split(",").filter((each) => each.trim() !== "");
}

/** Returns the number in texts such as `7` and `#7`. Null for other texts, which are parts of titles. */
function parseTaskNumber(text: string): number | null {
  const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text.trim()) ?? [];
  return digits === undefined ? null : Number(digits);
}

async function listUnfinishedTasks(reader: Actor, { session_id }: Session): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: OutputOf<"list_tasks"> = await reader.call("list_tasks", {
      ...{ session_id, after },
      limit: limits.tasksPageMax,
    });
    tasks.push(...page.tasks);
    after = page.next_after;
  }
  return tasks;
}

/**
 * Returns the number of the only task whose title is the text, or otherwise of the only one whose title contains it.
 *
 * @throws CliError `not_found` if no title contains the text; `conflict` with the tasks that it may mean
 */
function selectTask(tasks: readonly Task[], text: string, { slug }: Session): number {
  const wanted = text.toLowerCase();
  const matches = tasks.filter(({ title }) => title.toLowerCase().includes(wanted));
  const exact = matches.filter(({ title }) => title.toLowerCase() === wanted);
  const [match, another] = exact.length > 0 ? exact : matches;
  const named = JSON.stringify(neutralise(text));
  if (match === undefined) {
    throw new CliError("not_found", `No unfinished task of ${slug} has ${named} in its title.`, {
      exitCode: exitCodes.not_found,
      next: [`merkle tasks ${slug}`],
    });
  }
  if (another === undefined) return match.task;
  const candidates = exact.length > 0 ? exact : matches;
  const shown = candidates.slice(0, candidatesMax).map(({ task, title }) => `${task} ${toOneLine(title)}`);
  const rest = candidates.length - shown.length;
  throw new CliError(
    "conflict",
    `${candidates.length} tasks have ${named} in their title: ${shown.join("; ")}${rest === 0 ? "" : `; and ${rest} more`}. Use the number of one of them.`,
    { exitCode: exitCodes.conflict, details: { tasks: candidates.map(({ task }) => task) } },
  );
}
