import { insertStateWatch, listStateWatches, lockStateWatches } from "@merkle/db";
import { limits, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import type { StateServices } from "./services.js";
import { toStateWatch, toWatching } from "./state-watch.js";

/** Adds a watch of the calling peer, which stays until it is taken back (STATE-9). Watching twice is watching once. */
export async function watchState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"watch_state">,
): Promise<OutputOf<"watch_state">> {
  const { peer } = ctx.team;
  return ctx.write(async ({ tx }) => {
    // Of two that come at once, the second counts what the first has added.
    await lockStateWatches(tx, peer);
    await insertStateWatch(tx, peer, toStateWatch(ctx, input));
    const watches = await listStateWatches(tx, peer);
    if (watches.length > limits.watchesPerPeerMax) throw tooManyWatches();
    return toWatching(ctx, watches);
  });
}

function tooManyWatches(): MerkleError {
  const max = limits.watchesPerPeerMax;
  return new MerkleError(
    "conflict",
    `A peer may watch ${max} keys and prefixes. Take one back with unwatch_state, or watch a prefix that covers several.`,
    { watches_max: max },
  );
}
