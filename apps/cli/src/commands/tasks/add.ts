import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { textOf } from "../../command/flags.js";
import { takeWords } from "../../command/read-text.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { actingIn } from "../../identity/acting.js";
import { formatTasks } from "../../tasks/format-tasks.js";
import { readTaskNumbers } from "../../tasks/task-numbers.js";

export const taskAdd: Command = {
  name: "task add",
  summary: "put something on a session's list, for somebody or for whoever takes it",
  arguments: [
    { name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" },
    { name: "[title]", summary: "what is to be done; needed" },
  ],
  flags: [
    { flags: "--text <text>", summary: "what else whoever does it has to know" },
    { flags: "--for <who>", summary: "a team, a peer, or team/peer" },
    { flags: "--after <numbers>", summary: "the tasks that must be done first, such as 3,4" },
    { flags: "--label <labels>", summary: "one or several, with commas between" },
    { flags: "--check <command>", summary: "a command that whoever does it runs, and whose end proves it" },
    { flags: "--reviewer <who>", summary: "who has to accept it; not beside --check" },
  ],
  examples: [
    'merkle task add split-auth "Rotate tokens"',
    'merkle task add split-auth "Test the rotation" --after 1 --for Birch --check "npm test"',
  ],
  async run({ args, flags, config, output, signal }) {
    const [command, reviewer] = [textOf(flags, "check"), textOf(flags, "reviewer")];
    if (command !== undefined && reviewer !== undefined)
      throw usageError("Give --check or --reviewer, not both.");
    const check = command === undefined ? reviewer && { reviewer } : { command };
    const after = textOf(flags, "after");
    const blocked_by = after === undefined ? [] : readTaskNumbers(after, "--after");
    const labels = textOf(flags, "label")?.split(",") ?? [];
    const broker = await findBroker(config, signal);
    const usage = "merkle task add <session> <title>";
    const { session, words } = await takeWords(broker, args, { needed: 1, usage, config });
    const [title = ""] = words;
    const actor = await actingIn(session, { broker, config });
    const [text, assignee] = [textOf(flags, "text"), textOf(flags, "for")];
    const task = await actor.call("create_task", {
      session_id: session.session_id,
      ...{ title, blocked_by, labels },
      ...(text === undefined ? {} : { text }),
      ...(assignee === undefined ? {} : { assignee }),
      ...(check ? { check } : {}),
    });
    output.show(task, formatTasks([task], output));
    return exitCodes.done;
  },
};
