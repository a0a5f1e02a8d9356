import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readWholeNumber, toNumber } from "../../core/flag-values.js";
import { findFlag } from "../../core/flags.js";
import { getSessionActor } from "../../identity/actors.js";
import { splitSessionArgument } from "../../sessions/find-session.js";

export const taskDone: Command = {
  name: "task done",
  summary: "mark a task as done; a person can also finish a review",
  arguments: [
    { name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" },
    { name: "[number]", summary: "task number, from merkle tasks (required)" },
  ],
  flags: [
    { flags: "--result <text>", summary: "result" },
    { flags: "--exit <code>", summary: "exit code of its check; 0 proves that the task is done" },
    { flags: "--tail <text>", summary: "last lines of the check's output" },
  ],
  examples: [
    "merkle task done split-auth 7",
    'merkle task done split-auth 7 --result "tokens rotate on each refresh" --exit 0',
  ],
  async run({ args, flags, config, output, signal }) {
    const exit_code = readWholeNumber(findFlag(flags, "exit"), "--exit", { min: 0, max: 255 });
    const [result, tail] = [findFlag(flags, "result"), findFlag(flags, "tail")];
    const broker = await findBroker(config, signal);
    const usage = "merkle task done <session> <number>";
    const { session, words } = await splitSessionArgument(broker, args, { needed: 1, usage, config });
    const task = toNumber(words[0] ?? "", "A task");
    const actor = await getSessionActor(session, { broker, config });
    const done = await actor.call("finish_task", {
      ...{ session_id: session.session_id, task },
      ...(result === undefined ? {} : { result }),
      ...(exit_code === undefined ? {} : { proof: { exit_code, ...(tail === undefined ? {} : { tail }) } }),
    });
    const ready = done.ready.length > 0 ? `   ready now: ${done.ready.join(", ")}` : "";
    output.show(done, `${output.mark.ok} task ${task} ${done.state.replace("_", " ")}${ready}`);
    if (done.state === "in_review" && done.check !== null && "command" in done.check)
      output.note("  its check has not passed yet: run it and report --exit 0");
    return exitCodes.done;
  },
};
