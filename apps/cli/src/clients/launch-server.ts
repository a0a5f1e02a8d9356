import { toConnectionVariables } from "../broker/reach.js";
import { getEntryFile } from "../core/this-program.js";
import type { AgentOptions, LaunchTarget, PeerServer } from "./client.js";

/**
 * Returns how to start the MCP server of a launched peer.
 *
 * @param model - the model to show in the roster, if known
 */
export function toPeerServer(
  target: LaunchTarget,
  agent: AgentOptions,
  model: string | undefined = agent.model,
): PeerServer {
  return {
    command: process.execPath,
    args: [getEntryFile(), "mcp", "--as", target.storedPeerId, ...toServerFlags(agent)],
    env: {
      MERKLE_HOME: target.home,
      MERKLE_URL: target.url,
      ...toConnectionVariables(target),
      ...(model !== undefined && { MERKLE_MODEL: model }),
    },
  };
}

/**
 * Returns the variables that name the broker, session, team and peer, for the client and the processes that it
 * starts.
 */
export function toPeerEnvironment(target: LaunchTarget): Readonly<Record<string, string>> {
  return {
    MERKLE_HOME: target.home,
    MERKLE_URL: target.url,
    ...toConnectionVariables(target),
    ...{ MERKLE_SESSION: target.slug, MERKLE_TEAM: target.teamName, MERKLE_PEER: target.storedPeerId },
  };
}

/** Returns the model named in the user's arguments, for `list_peers`. The last `--model` wins. */
export function findModel(userArgs: readonly string[]): string | undefined {
  const last = userArgs.findLastIndex((each) => each === "--model" || each.startsWith("--model="));
  return findFlagValue(userArgs.slice(Math.max(last, 0)), "--model");
}

/** Returns the value that the user's arguments contain for any of these flags, or undefined. */
export function findFlagValue(userArgs: readonly string[], ...flags: readonly string[]): string | undefined {
  for (const [index, word] of userArgs.entries()) {
    if (flags.includes(word)) return userArgs[index + 1];
    const flag = flags.find((each) => word.startsWith(`${each}=`));
    if (flag !== undefined) return word.slice(flag.length + 1);
  }
  return undefined;
}

function toServerFlags({ tools, hasChannel, isInterruptible }: AgentOptions): string[] {
  return [
    ...(tools === undefined ? [] : ["--tools", tools]),
    ...(hasChannel ? ["--channel"] : []),
    ...(isInterruptible ? ["--interruptible"] : []),
  ];
}
