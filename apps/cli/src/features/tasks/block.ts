import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { getSessionActor } from "../../identity/actors.js";
import { splitSessionArgument } from "../../sessions/find-session.js";
import { formatTaskLine } from "./format-tasks.js";
import { readTaskNumbers } from "./task-numbers.js";

export const taskBlock: Command = {
  name: "task block",
  summary: "set the tasks that block a task",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[number]", summary: "number of the blocked task (required)" },
    {
      name: "[numbers]",
      summary: 'numbers of the tasks that block it, such as 3,4; "none" clears them (required)',
    },
  ],
  examples: ["merkle task block split-auth 7 3,4", "merkle task block split-auth 7 none"],
  async run({ args, config, output, signal }) {
    const broker = await findBroker(config, signal);
    const usage = "merkle task block <session> <number> <numbers>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 2, usage, config });
    const [number = "", blockers = ""] = words;
    const task = toNumber(number, "A task");
    const blocked_by = blockers === "none" ? [] : readTaskNumbers(blockers, "the blocking tasks");
    const actor = await getSessionActor(session, { broker, config });
    const updated = await actor.call("update_task", { session_id: session.session_id, task, blocked_by });
    output.show(updated, formatTaskLine(updated, output));
    return exitCodes.done;
  },
};
