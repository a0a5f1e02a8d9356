import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { readWholeNumber, toNumber } from "../../command/flag-values.js";
import { textOf } from "../../command/flags.js";
import { takeWords } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { actingIn } from "../../identity/acting.js";

export const taskDone: Command = {
  name: "task done",
  summary: "say that a task is done; a person's word also ends a review",
  arguments: [
    { name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" },
    { name: "[number]", summary: "the task, as merkle tasks shows it; needed" },
  ],
  flags: [
    { flags: "--result <text>", summary: "what came of it" },
    { flags: "--exit <code>", summary: "of its check, which was run: how it ended; 0 proves it" },
    { flags: "--tail <text>", summary: "of its check: the end of what it said" },
  ],
  examples: [
    "merkle task done split-auth 7",
    'merkle task done split-auth 7 --result "tokens rotate on each refresh" --exit 0',
  ],
  async run({ args, flags, config, output, signal }) {
    const exit_code = readWholeNumber(textOf(flags, "exit"), "--exit", { min: 0, max: 255 });
    const [result, tail] = [textOf(flags, "result"), textOf(flags, "tail")];
    const broker = await findBroker(config, signal);
    const usage = "merkle task done <session> <number>";
    const { session, words } = await takeWords(broker, args, { needed: 1, usage, config });
    const task = toNumber(words[0] ?? "", "A task");
    const actor = await actingIn(session, { broker, config });
    const done = await actor.call("finish_task", {
      ...{ session_id: session.session_id, task },
      ...(result === undefined ? {} : { result }),
      ...(exit_code === undefined ? {} : { proof: { exit_code, ...(tail === undefined ? {} : { tail }) } }),
    });
    const ready = done.ready.length > 0 ? `   ready now: ${done.ready.join(", ")}` : "";
    output.show(done, `${output.mark.ok} task ${task} ${done.state.replace("_", " ")}${ready}`);
    if (done.state === "in_review" && done.check !== null && "command" in done.check)
      output.note("  its check is not shown to be met: run it, and say --exit 0");
    return exitCodes.done;
  },
};
