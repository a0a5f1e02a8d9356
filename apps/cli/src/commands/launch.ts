import type { Command } from "../command/command.js";
import { launchAgent } from "../launch/launch-agent.js";

export const launch: Command = {
  name: "launch",
  summary: "run Claude Code as a peer of a team in a session; asks for what is missing",
  arguments: [
    {
      name: "[claude-args...]",
      summary: "what stands after --, for claude as it is; merkle adds permission for its own tools alone",
    },
  ],
  flags: [
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
      summary: "the peer's name in the team; a free place of it, or claude, unless told",
    },
    { flags: "--role <role>", summary: "what the peer is for, in free words" },
    {
      flags: "--groups <groups>",
      summary: "the @groups it is in, separated by commas: backend:lead,reviewers",
    },
    { flags: "--model <model>", summary: "the model, for claude" },
    { flags: "--tools <toolsets>", summary: "further toolsets for the agent, separated by commas" },
    { flags: "--channel", summary: "let claude take messages by a channel too, where it has them" },
    { flags: "--interruptible", summary: "let a message of priority now abort a running tool" },
    { flags: "--claude-bin <path>", summary: "the claude to run; default: the one on PATH" },
    { flags: "--dry-run", summary: "show what would run, and do nothing" },
    { flags: "-y, --yes", summary: "ask nothing; what is only nearly a session's name is refused" },
  ],
  examples: [
    "merkle launch",
    'merkle launch --session auth-refactor --team "Alex\'s Team" --name atlas --groups backend:lead',
    'merkle launch --session auth-refactor --team Birch -y -- "Read the feed, then help"',
    "merkle launch --name Alice --role dev --groups frontend:lead,reviewers -y",
    "merkle launch --session auth-refactor --team Birch --dry-run",
  ],
  async run(context) {
    return launchAgent(context);
  },
};
