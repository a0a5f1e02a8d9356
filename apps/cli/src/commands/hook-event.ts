import { hookEvents } from "../clients/client.js";
import { askServer } from "../clients/client-socket.js";
import { getClient } from "../clients/clients.js";
import type { Command } from "../command/command.js";
import { findConversation, readHookInput } from "../mcp/hooks/hook-input.js";
import { introduceSession } from "../mcp/hooks/session-start.js";

/**
 * Gets the messages for the client's model from the client's MCP server, and prints them. Run by clients
 * whose hooks are commands.
 */
export const hookEvent: Command = {
  name: "hook event",
  summary: "deliver messages to an agent's client; run by its hooks",
  hidden: true,
  arguments: [
    { name: "<client>", summary: "client that runs the hook" },
    { name: "<event>", summary: "event, by Merkle's name for it" },
  ],
  examples: ["merkle hook event gemini Stop"],
  offline: true,
  async run({ args: [name, event], config, io }) {
    const client = getClient(name);
    const input = await readHookInput(io.stdin);
    const sessionId = findConversation(input) ?? "";
    const known = hookEvents.find((each) => each === event);
    const hasFailed = known === "Stop" && client.hasTurnFailed?.(input) === true;
    const call = { session_id: sessionId, prompt_id: sessionId, agent_id: "" };
    const text =
      known === undefined
        ? await introduceSession({ home: config.home, storedPeerId: config.peer, sessionId })
        : await askServer({ event: hasFailed ? "StopFailure" : known, ...call });
    // The client accepts only JSON on stdout. An empty object adds nothing to the conversation.
    io.stdout.write(`${JSON.stringify(client.deliver(known ?? "SessionStart", text ?? ""))}\n`);
    return 0;
  },
};
