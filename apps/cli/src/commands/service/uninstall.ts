import { removeServiceScript } from "../../clients/launcher-script.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { readService, uninstallService } from "../../start/service/manager.js";
import { getServiceManager } from "./this-service.js";

export const serviceUninstall: Command = {
  name: "service uninstall",
  summary: "stop the service and remove its file; the data is kept",
  examples: ["merkle service uninstall"],
  offline: true,
  async run({ config, output }) {
    const manager = getServiceManager(config);
    const wasInstalled = (await readService(manager)) !== null;
    await uninstallService(manager);
    await removeServiceScript(config.home);
    const text = wasInstalled
      ? `${output.mark.ok} ${manager.file} is removed; the data is in ${config.home}`
      : "there was no service";
    output.show({ file: manager.file, changed: wasInstalled }, text);
    return exitCodes.done;
  },
};
