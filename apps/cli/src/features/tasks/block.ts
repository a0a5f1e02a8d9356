import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { getSessionActor } from "../../identity/actors.js";
import { splitSessionArgument } from "../../sessions/find-session.js";
import { createTaskFinder, splitTasks } from "./find-tasks.js";
import { formatTaskLine } from "./format-tasks.js";

export const taskBlock: Command = {
  name: "task block",
  summary: "set the tasks that block a task",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[task]", summary: "the blocked task: its number or a unique part of its title (required)" },
    {
      name: "[blockers]",
      summary: 'tasks that block it, such as 3,rotate; "none" clears them (required)',
    },
  ],
  examples: [
    "merkle task block split-auth 7 3,4",
    'merkle task block split-auth "logout page" rotate',
    "merkle task block split-auth 7 none",
  ],
  async run({ args, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const usage = "merkle task block <session> <task> <blockers>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 2, usage, config });
    const [blocked = "", blockers = ""] = words;
    const find = createTaskFinder(session, { broker, config });
    const task = await find(blocked);
    const blocked_by = blockers === "none" ? [] : await Promise.all(splitTasks(blockers).map(find));
    const actor = await getSessionActor(session, { broker, config });
    const updated = await actor.call("update_task", { session_id: session.session_id, task, blocked_by });
    output.show(updated, formatTaskLine(updated, output));
    return exitCodes.done;
  },
};
