import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { queryService } from "./this-service.js";

export const serviceLogs: Command = {
  name: "service logs",
  summary: "show the service's last log lines",
  examples: ["merkle service logs"],
  offline: true,
  async run({ config, output }) {
    const report = await queryService(config, "logs");
    output.show({ file: report.file, text: report.text }, report.text.trimEnd());
    return exitCodes.done;
  },
};
