import type { Toolset } from "@merkle/wire";
import { npxCommand } from "@merkle/wire/text";
import { type Reach, reachVariables, toReach } from "../broker/reach.js";
import { toMerkleHome } from "../core/merkle-home.js";
import { isPosix } from "../core/platform.js";
import { entryFile, runsFromNpx } from "../core/this-program.js";
import type { Config } from "../settings/config.js";
import { clientScriptPath } from "./launcher-script.js";

/**
 * The program that a client runs to speak to Merkle, wherever the client is started: the script of the home, which finds
 * Node and this same merkle, or npx where that has fetched it.
 */
export interface ServerProgram {
  readonly command: string;
  readonly entry: readonly string[];
  /** The arguments behind `entry` that make it an MCP server. */
  readonly serve: readonly string[];
  /** Variables that differ from the defaults: another home, a broker that was named. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param tools - toolsets beside those that an agent always has */
export function serverProgram(
  { broker, ...reach }: Pick<Config, "broker"> & Reach,
  tools: readonly Toolset[],
): ServerProgram {
  const { home } = reach;
  const isNamed = broker.source !== "default" && broker.source !== "config.json";
  return {
    ...findProgram(home),
    serve: ["mcp", ...(tools.length > 0 ? ["--tools", tools.join(",")] : [])],
    env: {
      ...(home !== toMerkleHome(undefined, process.cwd()) && { MERKLE_HOME: home }),
      ...(isNamed && { MERKLE_URL: broker.base }),
      ...reachVariables(toReach(reach)),
    },
  };
}

/** A client's configuration outlives what npx keeps. */
function findProgram(home: string): Pick<ServerProgram, "command" | "entry"> {
  // Windows runs no such script, and keeps Node at one path.
  if (!runsFromNpx() && !isPosix()) return { command: process.execPath, entry: [entryFile()] };
  if (!runsFromNpx()) return { command: clientScriptPath(home), entry: [] };
  const [command = "", ...entry] = npxCommand.split(" ");
  return { command, entry };
}

/** The words that run merkle where nothing but they says with which environment, such as in a hook's command. */
export function withEnvironment({ command, entry, env }: ServerProgram): string[] {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...(assignments.length > 0 ? ["env", ...assignments] : []), command, ...entry];
}
