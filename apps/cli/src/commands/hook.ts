import type { Command } from "../command/command.js";
import { loadOwnWords } from "../feature-hooks.js";
import { deliverMessages } from "../mcp/hooks/hook-mail.js";
import { startSession } from "../mcp/hooks/session-start.js";

/**
 * Prints the identity of the peer for a new conversation. Run by Claude Code at the start of a conversation,
 * when no server is connected yet.
 */
export const hookSessionStart: Command = {
  name: "hook session-start",
  summary: "give a launched Claude Code conversation its identity; run by its hooks",
  hidden: true,
  examples: ["merkle hook session-start"],
  offline: true,
  async run({ config, io }) {
    const text = await startSession({ home: config.home, storedPeerId: config.peer, input: io.stdin });
    if (text !== undefined) io.stdout.write(`${text}\n`);
    return 0;
  },
};

/**
 * Delivers messages if Claude Code cannot reach its server. Run at a prompt, between steps and at the end of
 * a turn.
 */
export const hookMail: Command = {
  name: "hook mail",
  summary: "deliver messages to a launched Claude Code that reaches no MCP server; run by its hooks",
  hidden: true,
  examples: ["merkle hook mail"],
  offline: true,
  async run({ config, io, signal }) {
    const text = await deliverMessages({ config, signal, loadOwnWords, input: io.stdin });
    if (text !== undefined) io.stdout.write(`${text}\n`);
    return 0;
  },
};
