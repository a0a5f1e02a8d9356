import { buildNumber } from "@merkle/wire/build";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { readVersion } from "../core/this-program.js";

export const version: Command = {
  name: "version",
  summary: "print the version",
  examples: ["merkle version", "merkle version --json"],
  offline: true,
  async run({ output }) {
    const programVersion = readVersion();
    output.show({ version: programVersion, build: buildNumber, node: process.versions.node }, programVersion);
    return exitCodes.done;
  },
};
