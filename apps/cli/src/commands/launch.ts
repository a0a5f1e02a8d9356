import type { Command } from "../command/command.js";
import { askAtLaunch, askForPermission, loadOwnWords } from "../feature-hooks.js";
import { launchAgent } from "../launch/launch-agent.js";

export const launch: Command = {
  name: "launch",
  summary: "start an agent (default: Claude Code) in a session; prompts for missing options",
  arguments: [
    {
      name: "[client-args...]",
      summary:
        "arguments after --, passed to the client unchanged; with --client acp, the agent's command; merkle adds permission only for its own tools",
    },
  ],
  flags: [
    {
      flags: "--client <client>",
      summary:
        "agent client: claude, codex, gemini, opencode, copilot, cursor, or acp for any agent that speaks the Agent Client Protocol (default: claude)",
    },
    {
      flags: "--session <session>",
      summary:
        "session slug, id or title; created if missing (default: MERKLE_SESSION; with -y the repository's name)",
    },
    { flags: "--new <title>", summary: "create a new session with this title" },
    {
      flags: "--conclude-by <who>",
      summary: "who can conclude a session that this creates: anyone or convener (default: anyone)",
    },
    {
      flags: "--team <name>",
      summary: "team name; the next launch with this name reuses its peers (default: MERKLE_TEAM)",
    },
    {
      flags: "--name <name>",
      summary:
        "peer name in the team (default: a stored peer that is not in use, otherwise the client's name)",
    },
    { flags: "--role <role>", summary: "role of the peer, free text" },
    {
      flags: "--groups <groups>",
      summary: "@groups of the peer, separated by commas: backend:lead,reviewers",
    },
    {
      flags: "--wake <what>",
      summary:
        "what nudges the idle agent: everything, with agents' chat to everyone, or addressed (default: everything)",
    },
    { flags: "--cwd <folder>", summary: "folder that the agent works in (default: the current folder)" },
    { flags: "--model <model>", summary: "model for the client" },
    { flags: "--tools <toolsets>", summary: "additional toolsets for the agent, separated by commas" },
    {
      flags: "--approvals",
      summary:
        "also send the client's permission prompts and plans to your approver devices (merkle config set approvers); with --own-words, questions, too",
    },
    {
      flags: "--own-words",
      summary:
        "show the agent what you post from this home, or from your devices (merkle config set own_devices), as its user's words",
    },
    {
      flags: "--channel",
      summary: "let Claude Code also receive messages through a channel, if it supports channels",
    },
    { flags: "--interruptible", summary: "let an urgent message (priority now) abort a running tool" },
    { flags: "--client-bin <path>", summary: "program to run (default: the client on PATH)" },
    { flags: "--claude-bin <path>", summary: "the same for Claude Code", hidden: true },
    { flags: "--dry-run", summary: "show what would run, without running it" },
    { flags: "-y, --yes", summary: "skip prompts; require an exact session name" },
  ],
  examples: [
    "merkle launch",
    'merkle launch --session auth-refactor --team "Alex\'s Team" --name atlas --groups backend:lead',
    'merkle launch --session auth-refactor --team Birch -y -- "Read the feed, then help"',
    "merkle launch --name Alice --role dev --groups frontend:lead,reviewers -y",
    "merkle launch --client codex --session auth-refactor --team Birch",
    "merkle launch --client acp --session auth-refactor --team Birch -- gemini --acp",
    "merkle launch --session auth-refactor --team Birch --dry-run",
  ],
  asksToTrust: true,
  async run(context) {
    return launchAgent(context, { loadOwnWords, askAtLaunch, askForPermission });
  },
};
