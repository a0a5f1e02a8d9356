import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, listFlagValues } from "../../core/flags.js";
import { getSessionActor } from "../../identity/actors.js";
import { splitSessionArgument } from "../../sessions/find-session.js";
import { resolveFile } from "../../sessions/repository.js";
import { createTaskFinder, splitTasks } from "./find-tasks.js";
import { formatTaskLine } from "./format-tasks.js";

export const taskAdd: Command = {
  name: "task add",
  summary: "add a task to a session",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[title]", summary: "title (required)" },
  ],
  flags: [
    { flags: "--text <text>", summary: "description" },
    { flags: "--for <who>", summary: "assignee: team, peer or team/peer (default: anyone)" },
    {
      flags: "--after <tasks>",
      summary: "tasks that block it: numbers or parts of titles, such as 3,rotate",
    },
    { flags: "--label <labels>", summary: "labels, separated by commas" },
    {
      flags: "--file <path>",
      summary: "file or pattern that its holder claims with it, such as src/auth/**; can be repeated",
      repeatable: true,
    },
    { flags: "--check <command>", summary: "command that proves the task is done; the assignee runs it" },
    { flags: "--reviewer <who>", summary: "reviewer who accepts the result; not with --check" },
  ],
  examples: [
    'merkle task add split-auth "Rotate tokens"',
    'merkle task add split-auth "Test the rotation" --after 1 --for Birch --check "npm test"',
    'merkle task add split-auth "Rotate tokens" --file "src/auth/**" --file docs/tokens.md',
  ],
  async run({ args, flags, config, output, signal }) {
    const [command, reviewer] = [findFlag(flags, "check"), findFlag(flags, "reviewer")];
    if (command !== undefined && reviewer !== undefined)
      throw usageError("Give --check or --reviewer, not both.");
    const check = command === undefined ? reviewer && { reviewer } : { command };
    const after = findFlag(flags, "after") ?? "";
    const files = listFlagValues(flags, "file").map((file) => resolveFile(file, process.cwd()));
    const labels = findFlag(flags, "label")?.split(",") ?? [];
    const broker = await findBroker(config, signal);
    const usage = "merkle task add <session> <title>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 1, usage, config });
    const [title = ""] = words;
    const find = createTaskFinder(session, { broker, config });
    const blocked_by = await Promise.all(splitTasks(after).map(find));
    const actor = await getSessionActor(session, { broker, config });
    const [text, assignee] = [findFlag(flags, "text"), findFlag(flags, "for")];
    const task = await actor.call("create_task", {
      session_id: session.session_id,
      ...{ title, blocked_by, labels },
      ...(text === undefined ? {} : { text }),
      ...(assignee === undefined ? {} : { assignee }),
      ...(files.length === 0 ? {} : { files }),
      ...(check ? { check } : {}),
    });
    output.show(task, formatTaskLine(task, output));
    return exitCodes.done;
  },
};
