import { defaultToolsets, type Toolset } from "@merkle/wire";
import { usageError } from "../core/cli-error.js";
import { type Flags, isSet, textOf } from "../core/flags.js";

/** The options that `merkle mcp` was started with. */
export interface McpOptions {
  /** The session to join at the first connection, by id or slug, and the name to join it under. */
  readonly join: { readonly session: string; readonly team: string } | undefined;
  /** The id of a place that this machine holds, in which to go on; who started this server sees to its being alone. */
  readonly as: string | undefined;
  readonly toolsets: ReadonlySet<Toolset>;
  /** Whether these are all, by `--only-tools`: each tool is listed with every input, and none of this server's own. */
  readonly onlyTools: boolean;
  /** `compact` for a model, `json` for a program. */
  readonly view: "compact" | "json";
  /** Whether mail wakes the client by channel notifications, too. */
  readonly channel: boolean;
  /** Whether a message of priority now may end a tool that runs. */
  readonly interruptible: boolean;
}

/** The toolsets there are. Named here so that a wrong flag is told without the catalogue, which takes time to load. */
export const knownToolsets = [
  "core",
  "messaging",
  "mesh",
  "tasks",
  "people",
  "progress",
  "audit",
  "work",
  "admin",
] as const satisfies readonly Toolset[];

/** @throws CliError `usage` */
export function readMcpOptions(flags: Flags): McpOptions {
  const as = readAs(textOf(flags, "as"));
  const join = readJoin(textOf(flags, "session"), textOf(flags, "team"));
  if (as !== undefined && join !== undefined)
    throw usageError("--as already names the peer: leave out --session and --team.");
  return {
    join,
    as,
    ...readTools(textOf(flags, "tools"), textOf(flags, "onlyTools")),
    view: readView(textOf(flags, "view")),
    channel: isSet(flags, "channel"),
    interruptible: isSet(flags, "interruptible"),
  };
}

function readAs(text: string | undefined): string | undefined {
  if (text === undefined || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw usageError(
    `--as must be the id of a peer that this machine has stored, got ${JSON.stringify(text)}.`,
  );
}

function readJoin(session: string | undefined, team: string | undefined): McpOptions["join"] {
  if (session === undefined && team === undefined) return undefined;
  if (!session?.trim()) throw usageError("--team needs --session, which names the session to join.");
  if (!team?.trim()) throw usageError("--session needs --team: the name to join it under.");
  return { session: session.trim(), team: team.trim() };
}

function readTools(
  more: string | undefined,
  only: string | undefined,
): Pick<McpOptions, "toolsets" | "onlyTools"> {
  if (only === undefined)
    return { toolsets: new Set([...defaultToolsets, ...readToolsetNames(more)]), onlyTools: false };
  if (more !== undefined)
    throw usageError("--only-tools already names every toolset to list: leave out --tools.");
  const toolsets = new Set(readToolsetNames(only));
  if (toolsets.size === 0) throw usageError(`--only-tools needs a toolset: ${knownToolsets.join(", ")}.`);
  return { toolsets, onlyTools: true };
}

/**
 * The toolsets that a flag names, separated by commas.
 *
 * @throws CliError `usage`
 */
export function readToolsetNames(text: string | undefined): readonly Toolset[] {
  const wanted = (text ?? "").split(",").map((name) => name.trim());
  const unknown = wanted.find((name) => name !== "" && !isToolset(name));
  if (unknown !== undefined) {
    throw usageError(
      `There is no toolset ${JSON.stringify(unknown)}. Known toolsets: ${knownToolsets.join(", ")}. Separate several with commas.`,
    );
  }
  return wanted.filter(isToolset);
}

function isToolset(name: string): name is (typeof knownToolsets)[number] {
  return knownToolsets.some((known) => known === name);
}

function readView(text: string | undefined): "compact" | "json" {
  if (text === undefined || text === "compact") return "compact";
  if (text === "json") return text;
  throw usageError(`--view must be compact or json, got ${JSON.stringify(text)}.`);
}
