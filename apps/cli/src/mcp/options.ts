import { defaultToolsets, type Toolset } from "@merkle/wire";
import { usageError } from "../core/cli-error.js";
import { type Flags, findFlag, isSet } from "../core/flags.js";

/** The command-line options of `merkle mcp`. */
export interface McpOptions {
  /** The session (id or slug) to join at the first connection, and the team name to use. */
  readonly join: { readonly session: string; readonly team: string } | undefined;
  /**
   * The id of the stored peer to continue as. The process that starts this server ensures that no other
   * server uses that peer.
   */
  readonly as: string | undefined;
  readonly toolsets: ReadonlySet<Toolset>;
  /**
   * Whether to list only the tools in the named toolsets (`--only-tools`). Each tool is then listed with all
   * its inputs, and the server's own tools are omitted.
   */
  readonly onlyTools: boolean;
  /** The format of results: `compact` for a model, `json` for a program. */
  readonly view: "compact" | "json";
  /** Whether messages also wake the client through channel notifications. */
  readonly hasChannel: boolean;
  /** Whether a message with priority `now` may interrupt a tool that is running. */
  readonly isInterruptible: boolean;
}

/**
 * The names of all toolsets. Listed here so that an invalid flag can be reported without loading the
 * catalogue of operations, which is slow.
 */
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

/** Reads the flags of `merkle mcp`. @throws CliError `usage` */
export function readMcpOptions(flags: Flags): McpOptions {
  const as = readAs(findFlag(flags, "as"));
  const join = readJoin(findFlag(flags, "session"), findFlag(flags, "team"));
  if (as !== undefined && join !== undefined)
    throw usageError("--as already names the peer: leave out --session and --team.");
  return {
    join,
    as,
    ...readTools(findFlag(flags, "tools"), findFlag(flags, "onlyTools")),
    view: readView(findFlag(flags, "view")),
    hasChannel: isSet(flags, "channel"),
    isInterruptible: isSet(flags, "interruptible"),
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
 * Returns the toolsets that a flag names, separated by commas.
 *
 * @throws CliError `usage` for an unknown toolset
 */
export function readToolsetNames(text: string | undefined): readonly Toolset[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  const unknown = names.find((name) => name !== "" && !isToolset(name));
  if (unknown !== undefined) {
    throw usageError(
      `There is no toolset ${JSON.stringify(unknown)}. Known toolsets: ${knownToolsets.join(", ")}. Separate several with commas.`,
    );
  }
  return names.filter(isToolset);
}

function isToolset(name: string): name is (typeof knownToolsets)[number] {
  return knownToolsets.some((known) => known === name);
}

function readView(text: string | undefined): "compact" | "json" {
  if (text === undefined || text === "compact") return "compact";
  if (text === "json") return text;
  throw usageError(`--view must be compact or json, got ${JSON.stringify(text)}.`);
}
