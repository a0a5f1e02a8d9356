import { limits } from "@merkle/wire/limits";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { readText } from "../../command/read-text.js";
import { exitCodes } from "../../core/cli-error.js";
import { listFlagValues, splitList } from "../../core/flags.js";
import { getMeshActor } from "../../identity/actors.js";

export const remember: Command = {
  name: "remember",
  summary: "remember a lesson, a decision or a fact for later sessions; prints its id",
  arguments: [{ name: "[text]", summary: "text to remember; - or a pipe reads it from stdin" }],
  flags: [{ flags: "--tag <tag>", summary: "tag; repeat or use commas for several", repeatable: true }],
  examples: [
    'merkle remember "Payments API limits at 100 req/s per key" --tag payments',
    "merkle remember - --tag auth,howto < lesson.md",
  ],
  async run({ args: [given], flags, config, io, output, signal }) {
    const text = await readText({
      given,
      name: "the text to remember",
      usage: "merkle remember <text>",
      bytesMax: limits.memoryBytesMax + 1,
      io,
      signal,
    });
    const actor = await getMeshActor({ broker: await findBroker(config, signal), config });
    const memory = await actor.call("remember", {
      content: text.replace(/(?:\r?\n)+$/, ""),
      tags: splitList(listFlagValues(flags, "tag")),
    });
    output.show(memory, `${output.mark.ok} ${memory.id}`);
    return exitCodes.done;
  },
};
