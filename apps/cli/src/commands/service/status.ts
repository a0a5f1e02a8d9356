import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { askManager } from "./this-service.js";

export const serviceStatus: Command = {
  name: "service status",
  summary: "say whether the service runs",
  examples: ["merkle service status"],
  offline: true,
  async run({ config, output }) {
    const told = await askManager(config, "status");
    output.show(told, told.text.trimEnd());
    return exitCodes.done;
  },
};
