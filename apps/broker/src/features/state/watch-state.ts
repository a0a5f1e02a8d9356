import {
  deleteStateWatch,
  insertStateWatch,
  listStateWatches,
  lockStateWatches,
  type StateWatch,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../../sessions/context.js";
import type { StateServices } from "./services.js";
import { toScopeId } from "./state-entry.js";

/**
 * Adds a watch for the calling peer, which stays until the peer removes it (STATE-9). Adding the same watch
 * twice has no effect.
 */
export async function watchState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"watch_state">,
): Promise<OutputOf<"watch_state">> {
  const { peer } = ctx.team;
  return ctx.write(async ({ tx }) => {
    // If two watches are added at the same time, the second call must include the first watch in its count.
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
    `A peer can watch at most ${max} keys and prefixes. Stop watching one, or watch a prefix that covers several.`,
    { watches_max: max, next: "unwatch_state" },
  );
}

/** Removes one of the calling peer's watches. Succeeds if the watch does not exist. */
export async function unwatchState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"unwatch_state">,
): Promise<OutputOf<"unwatch_state">> {
  const { peer } = ctx.team;
  return ctx.write(async ({ tx }) => {
    await deleteStateWatch(tx, peer, toStateWatch(ctx, input));
    return toWatching(ctx, await listStateWatches(tx, peer));
  });
}

/** Returns the requested watch. The operation has already checked that the input names a key or a prefix. */
function toStateWatch(ctx: TeamContext<StateServices>, input: ParsedInputOf<"watch_state">): StateWatch {
  return {
    scopeId: toScopeId(ctx, input.scope),
    pattern: input.key ?? input.prefix ?? "",
    isPrefix: input.key === undefined,
  };
}

/** Returns a peer's watches in their public form. */
function toWatching(
  { session }: TeamContext<StateServices>,
  watches: readonly StateWatch[],
): OutputOf<"watch_state"> {
  return {
    watching: watches.map(({ scopeId, pattern, isPrefix }) => ({
      ...(isPrefix ? { prefix: pattern } : { key: pattern }),
      scope: scopeId === session.sessionId ? "session" : "mesh",
    })),
  };
}
