import { findBroker } from "../../broker/broker-client.js";
import { fileArgument } from "../../command/arguments.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { getPersonActor } from "../../identity/actors.js";
import { showQueued } from "./text/format-jobs.js";

export const sourceIncorporate: Command = {
  name: "source incorporate",
  summary: "have a headless agent rewrite a file for a topic; its result is a proposal",
  arguments: [fileArgument, { name: "<topic>", summary: "topic number, from merkle source topics" }],
  examples: ["merkle source incorporate docs/guide.md 4"],
  async run({ args: [source_path = "", topic = ""], config, output, signal }) {
    const topic_id = toNumber(topic, "A topic");
    const broker = await findBroker(config, signal);
    const actor = getPersonActor({ broker, config });
    showQueued(await actor.call("start_job", { kind: "incorporate", source_path, topic_id }), output);
    return exitCodes.done;
  },
};
