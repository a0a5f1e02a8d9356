import type { Command } from "../command/command.js";
import { startSession } from "../mcp/hooks/session-start.js";

/** Run by Claude Code when a conversation begins: no server is connected yet that it could call. */
export const hookSessionStart: Command = {
  name: "hook session-start",
  summary: "tell a conversation of a launched Claude Code who it is; run by its hooks",
  hidden: true,
  examples: ["merkle hook session-start"],
  offline: true,
  async run({ config }) {
    const said = await startSession({ home: config.home, placeId: config.peer, input: process.stdin });
    if (said !== undefined) process.stdout.write(`${said}\n`);
    return 0;
  },
};
