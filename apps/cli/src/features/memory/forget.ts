import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { getMeshActor } from "../../identity/actors.js";

export const forget: Command = {
  name: "forget",
  summary: "hide a memory that is wrong or out of date, or restore it",
  arguments: [{ name: "<memory>", summary: "memory id, such as mem_31" }],
  flags: [
    { flags: "--reason <text>", summary: "reason, shown to later readers" },
    { flags: "--undo", summary: "restore it (only humans can)" },
  ],
  examples: ['merkle forget mem_31 --reason "the limit was lifted"', "merkle forget mem_31 --undo"],
  async run({ args: [id = ""], flags, config, output, signal }) {
    const reason = findFlag(flags, "reason");
    const undo = isSet(flags, "undo");
    if (undo && reason !== undefined) throw usageError("--undo cannot be combined with --reason.");
    const actor = await getMeshActor({ broker: await findBroker(config, signal), config });
    const memory = undo
      ? await actor.call("restore_memory", { id })
      : await actor.call("forget", { id, reason });
    output.show(memory, `${output.mark.ok} ${memory.id} ${undo ? "is restored" : "is hidden"}`);
    if (!undo) output.note(`  undo: merkle forget ${memory.id} --undo`);
    return exitCodes.done;
  },
};
