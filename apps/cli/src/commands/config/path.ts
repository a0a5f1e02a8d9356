import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { homeFiles } from "../../core/merkle-home.js";

export const configPath: Command = {
  name: "config path",
  summary: "print the path of this machine's configuration file",
  examples: ["merkle config path", "merkle config path --json"],
  offline: true,
  async run({ config: { home }, output }) {
    const path = homeFiles.config(home);
    output.show({ path }, path);
    return exitCodes.done;
  },
};
