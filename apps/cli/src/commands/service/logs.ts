import type { Command } from "../../command/command.js";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { callManager, readService } from "../../start/service/manager.js";
import { thisManager } from "./this-service.js";

export const serviceLogs: Command = {
  name: "service logs",
  summary: "print the last lines that the service wrote",
  examples: ["merkle service logs"],
  offline: true,
  async run({ config, output }) {
    const manager = thisManager(config);
    if ((await readService(manager)) === null)
      throw new CliError("not_found", "There is no service of Merkle's for this user.", {
        exitCode: exitCodes.not_found,
        next: ["merkle service install"],
      });
    const text = await callManager(manager.logs);
    output.show({ file: manager.file, text }, text.trimEnd());
    return exitCodes.done;
  },
};
