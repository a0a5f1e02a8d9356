import type { Toolset } from "@merkle/wire";
import { type Reach, reachVariables, toReach } from "../broker/reach.js";
import type { Config } from "../config.js";
import { toMerkleHome } from "../core/merkle-home.js";
import { entryFile } from "../core/this-program.js";

/** The program that a client runs to speak to Merkle: this same merkle, wherever the client is started. */
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
    command: process.execPath,
    entry: [entryFile()],
    serve: ["mcp", ...(tools.length > 0 ? ["--tools", tools.join(",")] : [])],
    env: {
      ...(home !== toMerkleHome(undefined, process.cwd()) && { MERKLE_HOME: home }),
      ...(isNamed && { MERKLE_URL: broker.base }),
      ...reachVariables(toReach(reach)),
    },
  };
}

/** The words that run merkle where nothing but they says with which environment, such as in a hook's command. */
export function withEnvironment({ command, entry, env }: ServerProgram): string[] {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return [...(assignments.length > 0 ? ["env", ...assignments] : []), command, ...entry];
}
