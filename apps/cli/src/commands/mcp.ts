import type { Command } from "../command/command.js";
import { serveStdio } from "../mcp/serve-stdio.js";

export const mcp: Command = {
  name: "mcp",
  summary: "speak MCP over stdio, for an agent's client",
  flags: [
    { flags: "--session <session>", summary: "join this session at the first connection" },
    { flags: "--team <name>", summary: "the name to join it under" },
    { flags: "--as <place-id>", summary: "go on in this place, which this machine holds" },
    {
      flags: "--tools <toolsets>",
      summary:
        "toolsets to list beside core, messaging, mesh, progress and tasks, separated by commas: people, audit, work, admin",
    },
    {
      flags: "--view <view>",
      summary: "compact text for a model, or json for a program; compact unless told",
    },
    { flags: "--channel", summary: "wake the client by channel notifications, too" },
    { flags: "--interruptible", summary: "let a message of priority now end a tool that runs" },
  ],
  examples: [
    'claude mcp add merkle -- merkle mcp --session auth-refactor --team "Alex\'s Team"',
    "merkle mcp",
    "merkle mcp --tools audit",
  ],
  async run(context) {
    return serveStdio(context);
  },
};
