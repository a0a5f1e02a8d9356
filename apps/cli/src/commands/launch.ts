import { usageError } from "../cli-error.js";
import type { Command, CommandContext } from "../command.js";
import { isSet, textOf } from "../flags.js";

export const launch: Command = {
  name: "launch",
  summary: "run Claude Code as a team of a session",
  arguments: [
    {
      name: "[claude-args...]",
      summary: "what stands after --, for claude as it is; merkle adds permission for its own tools alone",
    },
  ],
  flags: [
    {
      flags: "--session <session>",
      summary: "its slug, id or title, made when there is none; default MERKLE_SESSION",
    },
    {
      flags: "--team <name>",
      summary: "the team's name; its place stays for the next launch; default MERKLE_TEAM",
    },
    { flags: "--claude-bin <path>", summary: "the claude to run; default: the one on PATH" },
    { flags: "--dry-run", summary: "show what would run, and do nothing" },
    { flags: "-y, --yes", summary: "ask nothing; what is only nearly a session's name is refused" },
  ],
  examples: [
    'merkle launch --session auth-refactor --team "Alex\'s Team"',
    'merkle launch --session auth-refactor --team Birch -- --model opus "Read the feed, then help"',
    "merkle launch --session auth-refactor --team Birch --dry-run",
  ],
  async run(context) {
    const wanted = readWanted(context);
    const { launchAgent } = await import("../launch/launch-agent.js");
    return launchAgent(context, wanted);
  },
};

/** What is to be launched, as far as the call itself says. */
export interface Wanted {
  readonly session: string;
  readonly team: string;
  readonly claudeBin: string | undefined;
  readonly claudeArgs: readonly string[];
  readonly dryRun: boolean;
  readonly mayAsk: boolean;
}

function readWanted({ args, flags, config }: CommandContext): Wanted {
  refuseOwnArguments(args);
  const session = textOf(flags, "session")?.trim() || config.session;
  const team = textOf(flags, "team")?.trim() || config.team;
  if (session === undefined || team === undefined) {
    const missing = [
      ...(session === undefined ? ["--session <slug, id or title>"] : []),
      ...(team === undefined ? ["--team <name>"] : []),
    ];
    throw usageError(
      `merkle launch needs ${missing.join(" and ")}.`,
      'merkle launch --session auth-refactor --team "Alex\'s Team"',
      "merkle ls",
    );
  }
  return {
    session,
    team,
    claudeBin: textOf(flags, "claudeBin"),
    claudeArgs: args,
    dryRun: isSet(flags, "dryRun"),
    mayAsk: !isSet(flags, "yes") && !isSet(flags, "dryRun"),
  };
}

/** What stands before `--` is for merkle, which takes flags alone. */
function refuseOwnArguments(args: readonly string[]): void {
  const dashes = process.argv.indexOf("--");
  const afterDashes = dashes < 0 ? 0 : process.argv.length - dashes - 1;
  if (args.length <= afterDashes) return;
  throw usageError(
    `merkle launch does not know what to do with ${JSON.stringify(args[0])}. What is for claude comes after --.`,
    "merkle help launch",
  );
}
