import type { Peer } from "@merkle/wire";
import type { Signs } from "./command/output.js";

/** The sign of a peer, or of a team, for whether it is there: one that has left is as gone as one that is away. */
export function presenceSign(
  { left_at: leftAt, status }: Pick<Peer, "left_at" | "status">,
  { signs }: { readonly signs: Signs },
): string {
  if (leftAt !== null) return signs.gone;
  switch (status) {
    case "active":
      return signs.active;
    case "idle":
      return signs.idle;
    case "disconnected":
      return signs.gone;
  }
}
