import type { TeamCaller } from "../access/credentials.js";

/** Who did something, as others are told: `team/peer` for a named peer, else the team's name. */
export function authorName({ name, peer }: Pick<TeamCaller, "name" | "peer">): string {
  return peer.name === null ? name : `${name}/${peer.name}`;
}
