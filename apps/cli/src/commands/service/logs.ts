import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { askManager } from "./this-service.js";

export const serviceLogs: Command = {
  name: "service logs",
  summary: "print the last lines that the service wrote",
  examples: ["merkle service logs"],
  offline: true,
  async run({ config, output }) {
    const told = await askManager(config, "logs");
    output.show(told, told.text.trimEnd());
    return exitCodes.done;
  },
};
