import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { WakePreference } from "@merkle/wire";
import { catalogue, describeIssue } from "@merkle/wire/schemas";
import { getClientAbilities } from "@merkle/wire/text";
import type { AgentOptions, Client } from "../clients/client.js";
import { getLaunchedClient } from "../clients/clients.js";
import type { CommandContext } from "../command/command.js";
import { usageError } from "../core/cli-error.js";
import { readOneOf } from "../core/flag-values.js";
import { findFlag, isSet } from "../core/flags.js";
import { readToolsetNames } from "../mcp/options.js";
import type { Config } from "../settings/config.js";

/**
 * The session that a launch joins. A named session is created if it does not exist. `from` says where a
 * default name comes from.
 */
export type NamedSession =
  | {
      readonly kind: "named";
      readonly name: string;
      readonly from?: "repository" | "last launch" | "folder";
    }
  | { readonly kind: "new"; readonly title: string };

/** The options of a launch, as read from its flags. */
export interface LaunchOptions {
  readonly session: NamedSession | undefined;
  readonly team: string | undefined;
  readonly name: string | undefined;
  readonly role: string | undefined;
  readonly groups: readonly string[] | undefined;
  /** What nudges the agent while it is idle. If undefined, the peer's choice stays. */
  readonly wake: WakePreference | undefined;
  /** Who may conclude a session that this launch creates. */
  readonly concludeBy: "anyone" | "convener" | undefined;
  /** Whether flags name a session or peer. If so, the peer of a resumed conversation is not used. */
  readonly hasTarget: boolean;
  readonly client: Client;
  /** The program to run as the client, if the user names one. */
  readonly clientBin: string | undefined;
  /** The peer's name, unless the user named one: the client's name, or the name of an ACP agent's program. */
  readonly defaultPeerName: string;
  /** The client's working folder. */
  readonly cwd: string;
  readonly agent: AgentOptions;
  /** The arguments after `--`, which are passed to the client. */
  readonly userArgs: readonly string[];
  readonly isDryRun: boolean;
  readonly shouldSkipPrompts: boolean;
}

/** Reads the launch options. @throws CliError `usage` for an invalid flag; `not_found` for a missing mesh */
export function readLaunchOptions({ args, flags, config }: CommandContext): LaunchOptions {
  refuseOwnArguments(args);
  const readFlag = (name: string) => findFlag(flags, name)?.trim() || undefined;
  const client = getLaunchedClient(readFlag("client"));
  const [session, title] = [readFlag("session"), readFlag("new")];
  if (session !== undefined && title !== undefined)
    throw usageError("--new creates a session: leave out --session.");
  return {
    session: toSessionChoice(session, title) ?? toSessionChoice(config.session, undefined),
    team: refuseBad("--team", readFlag("team"), findTeamProblem) ?? config.team,
    name: refuseBad("--name", readFlag("name"), findNameProblem),
    role: refuseBad("--role", readFlag("role"), findRoleProblem),
    groups: readGroups(readFlag("groups")),
    wake: readOneOf(readFlag("wake"), "--wake", ["everything", "addressed"]),
    concludeBy: readOneOf(readFlag("concludeBy"), "--conclude-by", ["anyone", "convener"]),
    hasTarget: [session, title, readFlag("team"), readFlag("name")].some((each) => each !== undefined),
    agent: {
      model: readFlag("model"),
      tools: readTools(readFlag("tools")),
      hasChannel: isSet(flags, "channel"),
      isInterruptible: isSet(flags, "interruptible"),
      approvers: isSet(flags, "approvals") ? readApprovers(client, config) : [],
      hasOwnWords: readOwnWords(isSet(flags, "ownWords"), config),
    },
    client,
    clientBin: readProgram(client, args, findFlag(flags, "clientBin") ?? findFlag(flags, "claudeBin")),
    defaultPeerName: readDefaultPeerName(client, args),
    cwd: readFolder(findFlag(flags, "cwd")),
    userArgs: args,
    isDryRun: isSet(flags, "dryRun"),
    shouldSkipPrompts: isSet(flags, "yes"),
  };
}

/**
 * Returns the absolute path of the folder that the client works in. @throws CliError `usage` if the folder
 * does not exist
 */
export function readFolder(named: string | undefined): string {
  if (named === undefined) return process.cwd();
  const folder = resolve(named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder;
  throw usageError(`--cwd must name a folder, got ${JSON.stringify(named)}.`);
}

/** Returns the program that the user names. A driven client is the command after `--`. @throws CliError `usage` */
function readProgram(
  { isDriven }: Client,
  [program]: readonly string[],
  named: string | undefined,
): string | undefined {
  if (!isDriven) return named;
  if (program !== undefined && named === undefined) return program;
  throw usageError(
    "--client acp takes the agent's command after --, without --client-bin.",
    "merkle launch --client acp -- gemini --acp",
  );
}

function readDefaultPeerName({ name, isDriven }: Client, [program = ""]: readonly string[]): string {
  if (!isDriven) return name;
  const ownName = basename(program).replace(/\.\w+$/, "");
  return findNameProblem(ownName) === undefined ? ownName : name;
}

function readOwnWords(isSet: boolean, { agentShell }: Pick<Config, "agentShell">): boolean {
  if (!isSet || agentShell === undefined) return isSet;
  throw usageError(
    `Only a person can launch with --own-words, and this is an agent's shell (${agentShell}). Run the command in your own terminal.`,
  );
}

function readApprovers({ name, label }: Client, { approvers }: Pick<Config, "approvers">): readonly string[] {
  if (getClientAbilities(name).approvals === false)
    throw usageError(`${label} does not support --approvals: leave it out.`);
  if (approvers.length > 0) return approvers;
  throw usageError(
    "--approvals needs the ID of a device to answer on, such as your phone: open the Approvals page on that device and copy its ID.",
    "merkle config set approvers <device> --local",
  );
}

const { team_name, peer_name, role, groups } = catalogue.join_session.input.shape;

const issueOptions = { error: describeIssue };

/** Returns what is wrong with a team name, or undefined if the name is valid. */
export const findTeamProblem = (text: string) => toProblem(team_name.safeParse(text, issueOptions));
export const findNameProblem = (text: string) => toProblem(peer_name.safeParse(text, issueOptions));
export const findRoleProblem = (text: string) => toProblem(role.safeParse(text, issueOptions));
export const findGroupsProblem = (text: string) => toProblem(groups.safeParse(toGroups(text), issueOptions));
export const findTitleProblem = (text: string) =>
  toProblem(catalogue.create_session.input.shape.title.safeParse(text, issueOptions));

/**
 * Splits a list of groups such as `backend:lead, reviewers`. Drops `@all`, because every peer already belongs
 * to it.
 */
export function toGroups(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !/^@?all(?::|$)/i.test(each));
}

function toProblem({ error }: { error?: { issues: readonly { message: string }[] } }): string | undefined {
  return error?.issues[0]?.message;
}

function refuseBad(
  flag: string,
  text: string | undefined,
  problemOf: (text: string) => string | undefined,
): string | undefined {
  const problem = text === undefined ? undefined : problemOf(text);
  if (problem === undefined) return text;
  throw usageError(`${flag} ${JSON.stringify(text)}: ${problem}.`);
}

function readGroups(text: string | undefined): readonly string[] | undefined {
  return text === undefined ? undefined : toGroups(refuseBad("--groups", text, findGroupsProblem) ?? "");
}

function toSessionChoice(session: string | undefined, title: string | undefined): NamedSession | undefined {
  const newTitle = refuseBad("--new", title, findTitleProblem);
  if (newTitle !== undefined) return { kind: "new", title: newTitle };
  return session === undefined ? undefined : { kind: "named", name: session };
}

function readTools(text: string | undefined): string | undefined {
  return readToolsetNames(text).join(",") || undefined;
}

/** Refuses arguments before `--`, because `merkle launch` itself accepts only flags. */
function refuseOwnArguments(args: readonly string[]): void {
  const dashes = process.argv.indexOf("--");
  const afterDashes = dashes < 0 ? 0 : process.argv.length - dashes - 1;
  if (args.length <= afterDashes) return;
  throw usageError(
    `merkle launch got unexpected arguments: ${JSON.stringify(args[0])}. Put arguments for the agent client after --.`,
    "merkle help launch",
  );
}

/**
 * Requires flags for a session and a team, unless `-y` selects defaults. @throws CliError `usage` that lists
 * the missing flags
 */
export function requireSessionAndTeam({ session, team, shouldSkipPrompts }: LaunchOptions): void {
  const missing = [
    ...(session === undefined ? ["--session <slug, id or title> (or --new <title>)"] : []),
    ...(team === undefined ? ["--team <name>"] : []),
  ];
  if (missing.length === 0 || shouldSkipPrompts) return;
  throw usageError(
    `merkle launch needs ${missing.join(" and ")}.`,
    "merkle launch -y",
    'merkle launch --session auth-refactor --team "Alex\'s Team"',
    "merkle ls",
  );
}
