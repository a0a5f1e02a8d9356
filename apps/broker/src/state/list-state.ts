import { listStateEntries } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import type { StateServices } from "./services.js";
import { toStateEntry } from "./state-entry.js";
import { statePageBytes } from "./state-page-bytes.js";
import { scopeIdOf } from "./state-scope.js";

export async function listState(
  ctx: SessionContext<StateServices>,
  { scope, prefix = "", after = "", limit }: ParsedInputOf<"list_state">,
): Promise<OutputOf<"list_state">> {
  const { entries, more } = await listStateEntries(
    ctx.services.database.orm,
    scopeIdOf(ctx, scope),
    { prefix, after },
    { rowsMax: limit, bytesMax: statePageBytes(ctx) },
  );
  return { entries: entries.map(toStateEntry), next_cursor: more ? (entries.at(-1)?.key ?? null) : null };
}
