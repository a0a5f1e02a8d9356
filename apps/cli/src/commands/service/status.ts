import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { queryService } from "./this-service.js";

export const serviceStatus: Command = {
  name: "service status",
  summary: "show whether the service is running",
  examples: ["merkle service status"],
  offline: true,
  async run({ config, output }) {
    const report = await queryService(config, "status");
    output.show(report, report.text.trimEnd());
    return report.runs ? exitCodes.done : exitCodes.unreachable;
  },
};
