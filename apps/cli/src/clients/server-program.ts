import type { Toolset } from "@merkle/wire";
import { npxCommand } from "@merkle/wire/text";
import { type Reach, toConnectionVariables, toReach } from "../broker/reach.js";
import { toMerkleHome } from "../core/merkle-home.js";
import { isPosix } from "../core/platform.js";
import { getEntryFile, runsFromNpx } from "../core/this-program.js";
import type { Config } from "../settings/config.js";
import { toClientScriptPath } from "./launcher-script.js";

/**
 * The program that a client runs, from any folder, to reach Merkle: the home's script, which finds Node and
 * this merkle, or npx if merkle was started through npx.
 */
export interface ServerProgram {
  readonly command: string;
  readonly entry: readonly string[];
  /** The arguments after `entry` that start the MCP server. */
  readonly serveArgs: readonly string[];
  /**
   * Environment variables for settings that differ from the defaults, such as another home or an explicitly
   * named broker.
   */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the program that clients are configured to run.
 *
 * @param tools - toolsets in addition to the default ones
 */
export function createServerProgram(
  { broker, ...reach }: Pick<Config, "broker"> & Reach,
  tools: readonly Toolset[],
): ServerProgram {
  const { home } = reach;
  const isNamed = broker.source !== "default" && broker.source !== "config.json";
  return {
    ...toProgramCommand(home),
    serveArgs: ["mcp", ...(tools.length > 0 ? ["--tools", tools.join(",")] : [])],
    env: {
      ...(home !== toMerkleHome(undefined, process.cwd()) && { MERKLE_HOME: home }),
      ...(isNamed && { MERKLE_URL: broker.base }),
      ...toConnectionVariables(toReach(reach)),
    },
  };
}

/**
 * Returns the command to write into a client's configuration. It still works after npx's cache is deleted.
 */
function toProgramCommand(home: string): Pick<ServerProgram, "command" | "entry"> {
  // Windows cannot run the shell script, but Node's path does not change there.
  if (!runsFromNpx() && !isPosix()) return { command: process.execPath, entry: [getEntryFile()] };
  if (!runsFromNpx()) return { command: toClientScriptPath(home), entry: [] };
  const [command = "", ...entry] = npxCommand.split(" ");
  return { command, entry };
}

/**
 * Returns the words that run merkle with its environment variables, for configurations such as a hook's
 * command that cannot set an environment.
 */
export function withEnvironment({ command, entry, env }: ServerProgram): string[] {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...(assignments.length > 0 ? ["env", ...assignments] : []), command, ...entry];
}
