import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { getSessionActor } from "../../identity/actors.js";
import { getSession } from "../../sessions/find-session.js";
import { findRepository, toRepositoryKey } from "../../sessions/repository.js";
import { formatTask } from "./format-tasks.js";

export const taskClaim: Command = {
  name: "task claim",
  summary: "claim a task with its files, or the next one that is ready",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[number]", summary: "task number, from merkle tasks (default: the next ready task)" },
  ],
  examples: ["merkle task claim split-auth", "merkle task claim split-auth 7"],
  async run({ args, config, output, signal }) {
    const words = config.session !== undefined && isNumber(args[0]) ? [undefined, ...args] : args;
    const [name, number] = words;
    if (words.length > 2)
      throw usageError("Name a session and a task.", "merkle task claim <session> [number]");
    const task = number === undefined ? undefined : toNumber(number, "A task");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const actor = await getSessionActor(session, { broker, config });
    const { session_id } = session;
    const address = findRepository(process.cwd());
    const claimed = await actor.call("claim_task", {
      session_id,
      ...(task === undefined ? {} : { task }),
      ...(address === null ? {} : { repository: toRepositoryKey(address, session_id) }),
    });
    if (claimed.task === null) output.note(`  no task is ready.  next: merkle tasks ${session.slug}`);
    if (output.json || claimed.task !== null)
      output.show(claimed, claimed.task === null ? "" : formatTask(claimed.task, output));
    return exitCodes.done;
  },
};

function isNumber(word: string | undefined): boolean {
  return word !== undefined && /^\d+$/.test(word);
}
