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
    const found = readVersion();
    output.show({ version: found, build: buildNumber, node: process.versions.node }, found);
    return exitCodes.done;
  },
};
