import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getReadingActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { formatTasks } from "./format-tasks.js";

export const tasks: Command = {
  name: "tasks",
  summary: "list the tasks of a session, or of all sessions",
  arguments: [
    {
      name: "[session]",
      summary: "session slug, id or exact title (default: MERKLE_SESSION, otherwise all sessions)",
    },
  ],
  flags: [
    { flags: "--all", summary: "with a session: include done and cancelled tasks" },
    { flags: "--ready", summary: "with a session: only tasks that can be claimed" },
    { flags: "--label <label>", summary: "with a session: only tasks with this label" },
  ],
  examples: ["merkle tasks", "merkle tasks split-auth", "merkle tasks split-auth --ready --json"],
  async run({ args: [name], flags, config, output, signal }) {
    const label = findFlag(flags, "label");
    const state = isSet(flags, "ready") ? "ready" : isSet(flags, "all") ? "all" : "unfinished";
    const broker = await findBroker(config, signal);
    const limit = limits.tasksPageMax;
    if (name === undefined && config.session === undefined) {
      const answer = await broker.call("list_all_tasks", { limit });
      if (output.json || answer.tasks.length > 0) output.show(answer, formatTasks(answer.tasks, output));
      else output.note("  no tasks");
      return exitCodes.done;
    }
    const { session_id } = await getSession(broker, name, config);
    const reader = await getReadingActor({ broker, config });
    const input = { session_id, state, limit, ...(label === undefined ? {} : { label }) } as const;
    const answer = await reader.call("list_tasks", input);
    if (output.json || answer.tasks.length > 0) output.show(answer, formatTasks(answer.tasks, output));
    else output.note("  no tasks");
    if (answer.next_after !== null) output.note(`  more than ${limit}: narrow them by --ready or --label`);
    return exitCodes.done;
  },
};
