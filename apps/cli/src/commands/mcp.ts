import type { Command } from "../command/command.js";
import { checkConcluded, loadExtensions } from "../feature-hooks.js";
import { serveStdio } from "../mcp/serve-stdio.js";

export const mcp: Command = {
  name: "mcp",
  summary: "run an MCP server over stdio for an agent client",
  flags: [
    { flags: "--session <session>", summary: "session to join at the first connection" },
    { flags: "--team <name>", summary: "team name to join as" },
    { flags: "--as <id>", summary: "resume as the peer stored on this machine with this id" },
    {
      flags: "--tools <toolsets>",
      summary:
        "toolsets to list in addition to core, messaging, mesh, progress and tasks, separated by commas: people, audit, work, admin",
    },
    { flags: "--only-tools <toolsets>", summary: "list only these toolsets" },
    {
      flags: "--view <view>",
      summary: "compact (text for a model) or json (for a program) (default: compact)",
    },
    { flags: "--channel", summary: "also wake the client with channel notifications" },
    { flags: "--interruptible", summary: "let an urgent message (priority now) abort a running tool" },
  ],
  examples: [
    'claude mcp add merkle -- merkle mcp --session auth-refactor --team "Alex\'s Team"',
    "merkle mcp",
    "merkle mcp --tools audit",
    "merkle mcp --only-tools progress",
  ],
  async run(context) {
    return serveStdio(context, { loadExtensions, checkConcluded });
  },
};
