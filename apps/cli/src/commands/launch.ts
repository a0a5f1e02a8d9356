import type { Command } from "../command/command.js";
import { launchAgent } from "../launch/launch-agent.js";

export const launch: Command = {
  name: "launch",
  summary:
    "run an agent, Claude Code unless told, as a peer of a team in a session; asks for what is missing",
  arguments: [
    {
      name: "[client-args...]",
      summary:
        "what stands after --, for the client as it is; merkle adds permission for its own tools alone",
    },
  ],
  flags: [
    {
      flags: "--client <client>",
      summary: "what runs the agent: claude unless told, codex, gemini, opencode or copilot",
    },
    {
      flags: "--session <session>",
      summary:
        "its slug, id or title, made when there is none; default MERKLE_SESSION, with -y the repository's name",
    },
    { flags: "--new <title>", summary: "make a new session of this title" },
    {
      flags: "--team <name>",
      summary: "the team's name; its places stay for the next launch; default MERKLE_TEAM",
    },
    {
      flags: "--name <name>",
      summary: "the peer's name in the team; a free place of it, or the client's, unless told",
    },
    { flags: "--role <role>", summary: "what the peer is for, in free words" },
    {
      flags: "--groups <groups>",
      summary: "the @groups it is in, separated by commas: backend:lead,reviewers",
    },
    { flags: "--model <model>", summary: "the model, for the client" },
    { flags: "--tools <toolsets>", summary: "further toolsets for the agent, separated by commas" },
    {
      flags: "--approvals",
      summary:
        "ask you, on the devices of merkle config set approvers, too, what the client asks at the terminal",
    },
    { flags: "--channel", summary: "let claude take messages by a channel too, where it has them" },
    { flags: "--interruptible", summary: "let a message of priority now abort a running tool" },
    { flags: "--client-bin <path>", summary: "the program to run; default: the client's on PATH" },
    { flags: "--claude-bin <path>", summary: "the same, of Claude Code", hidden: true },
    { flags: "--dry-run", summary: "show what would run, and do nothing" },
    { flags: "-y, --yes", summary: "ask nothing; what is only nearly a session's name is refused" },
  ],
  examples: [
    "merkle launch",
    'merkle launch --session auth-refactor --team "Alex\'s Team" --name atlas --groups backend:lead',
    'merkle launch --session auth-refactor --team Birch -y -- "Read the feed, then help"',
    "merkle launch --name Alice --role dev --groups frontend:lead,reviewers -y",
    "merkle launch --client codex --session auth-refactor --team Birch",
    "merkle launch --session auth-refactor --team Birch --dry-run",
  ],
  async run(context) {
    return launchAgent(context);
  },
};
