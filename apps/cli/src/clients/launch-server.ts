import { reachVariables } from "../broker/reach.js";
import { entryFile } from "../core/this-program.js";
import type { AgentOptions, LaunchPlace } from "./client.js";

/** How a client starts the server that acts in the launched place. */
interface PlaceServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** @param model - as the roster shall show it, where it is known */
export function placeServer(
  place: LaunchPlace,
  agent: AgentOptions,
  model: string | undefined = agent.model,
): PlaceServer {
  return {
    command: process.execPath,
    args: [entryFile(), "mcp", "--as", place.placeId, ...serverFlags(agent)],
    env: {
      MERKLE_HOME: place.home,
      MERKLE_URL: place.url,
      ...reachVariables(place),
      ...(model !== undefined && { MERKLE_MODEL: model }),
    },
  };
}

/** The variables by which the client, and all that it starts, know their session, team and peer. */
export function ofPlace({ slug, teamName, placeId }: LaunchPlace): Readonly<Record<string, string>> {
  return { MERKLE_SESSION: slug, MERKLE_TEAM: teamName, MERKLE_PEER: placeId };
}

/** The model that the user asks the client for: list_peers shows it. Of several the last counts. */
export function modelIn(userArgs: readonly string[]): string | undefined {
  const last = userArgs.findLastIndex((each) => each === "--model" || each.startsWith("--model="));
  return flagValue(userArgs.slice(Math.max(last, 0)), "--model");
}

/** The value that the user's arguments give to one of these flags; undefined when they give none. */
export function flagValue(userArgs: readonly string[], ...flags: readonly string[]): string | undefined {
  for (const [index, word] of userArgs.entries()) {
    if (flags.includes(word)) return userArgs[index + 1];
    const flag = flags.find((each) => word.startsWith(`${each}=`));
    if (flag !== undefined) return word.slice(flag.length + 1);
  }
  return undefined;
}

function serverFlags({ tools, channel, interruptible }: AgentOptions): string[] {
  return [
    ...(tools === undefined ? [] : ["--tools", tools]),
    ...(channel ? ["--channel"] : []),
    ...(interruptible ? ["--interruptible"] : []),
  ];
}
