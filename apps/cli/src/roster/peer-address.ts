import { oneLine } from "../one-line.js";

/** A peer as people write to it: `Cedar`, `Cedar/atlas`. */
export function peerName(team: string, peer: string | null | undefined): string {
  return peer ? `${oneLine(team)}/${oneLine(peer)}` : oneLine(team);
}
