import {
  findStateEntry,
  listStateEntries,
  listStateVersions,
  listStateWatchers,
  type StateWatcher,
} from "@merkle/db";
import type { OutputOf, ParsedInputOf, StateEntry } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Context, SessionContext } from "../../sessions/context.js";
import { formatAuthorName } from "../../sessions/roster/author.js";
import { toStateEntry } from "../../sessions/state-entry.js";
import type { StateServices } from "./services.js";
import { noSuchKey, toScopeId } from "./state-entry.js";

/**
 * Reads one key. A deleted key is returned as deleted, with its last version.
 *
 * @throws not_found if the key was never set
 */
export async function getState(
  ctx: SessionContext<StateServices>,
  { key, scope, history, watchers }: ParsedInputOf<"get_state">,
): Promise<OutputOf<"get_state">> {
  const { orm } = ctx.services.database;
  const scopeId = toScopeId(ctx, scope);
  const entry = await findStateEntry(orm, scopeId, key);
  if (!entry) throw noSuchKey(key, scope);
  return {
    ...toStateEntry(entry),
    ...(history && { history: await readHistory(ctx, scopeId, key) }),
    ...(watchers && { watched_by: (await listStateWatchers(orm, scopeId, key)).map(toName) }),
  };
}

async function readHistory(
  ctx: SessionContext<StateServices>,
  scopeId: string,
  key: string,
): Promise<StateEntry[]> {
  const versions = await listStateVersions(ctx.services.database.orm, scopeId, key, {
    rowsMax: limits.stateHistoryMax,
    bytesMax: statePageBytes(ctx),
  });
  return versions.map(toStateEntry);
}

function toName({ team, peer }: StateWatcher): string {
  return formatAuthorName({ name: team, peer: { name: peer } });
}

export async function listState(
  ctx: SessionContext<StateServices>,
  { scope, prefix = "", after = "", limit }: ParsedInputOf<"list_state">,
): Promise<OutputOf<"list_state">> {
  const { entries, hasMore } = await listStateEntries(
    ctx.services.database.orm,
    toScopeId(ctx, scope),
    { prefix, after },
    { rowsMax: limit, bytesMax: statePageBytes(ctx) },
  );
  return { entries: entries.map(toStateEntry), next_cursor: hasMore ? (entries.at(-1)?.key ?? null) : null };
}

/**
 * Returns the size limit for the state in one reply. The limit is lower for models, which pay for each
 * character.
 */
function statePageBytes({ view }: Context<StateServices>): number {
  return view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax;
}
