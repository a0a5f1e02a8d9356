import type { StateWatch } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import type { StateServices } from "./services.js";
import { scopeIdOf } from "./state-scope.js";

/** What an input asks to watch; the operation has seen to it that it is a key or a prefix. */
export function toStateWatch(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"watch_state">,
): StateWatch {
  return {
    scopeId: scopeIdOf(ctx, input.scope),
    pattern: input.key ?? input.prefix ?? "",
    isPrefix: input.key === undefined,
  };
}

/** What a peer watches, as it is told. */
export function toWatching(
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
