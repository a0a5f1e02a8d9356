import { oneLine } from "../text/one-line.js";

/** A peer as people write to it: `Cedar`, `Cedar/atlas`. */
export function peerName(team: string, peer: string | null | undefined): string {
  return peer ? `${nameBesideMark(team)}/${nameBesideMark(peer)}` : nameBesideMark(team);
}

/** A name where humans are marked behind theirs; one of before that was refused that holds such a mark is quoted (NAME-3). */
export function nameBesideMark(name: string): string {
  const shown = oneLine(name);
  return /\(\s*(?:human|guest)\s*\)/iu.test(name) ? JSON.stringify(shown) : shown;
}
