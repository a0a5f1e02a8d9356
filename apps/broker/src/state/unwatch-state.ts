import { deleteStateWatch, listStateWatches } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import type { StateServices } from "./services.js";
import { toStateWatch, toWatching } from "./state-watch.js";

/** Takes back a watch of the calling peer; one that it does not have is no error. */
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
