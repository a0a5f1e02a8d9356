import { findStateEntry, listStateVersions, listStateWatchers, type StateWatcher } from "@merkle/db";
import { limits, type OutputOf, type ParsedInputOf, type StateEntry } from "@merkle/wire";
import type { SessionContext } from "../sessions/context.js";
import { authorName } from "../sessions/roster/author-name.js";
import { noSuchKey } from "./no-such-key.js";
import type { StateServices } from "./services.js";
import { toStateEntry } from "./state-entry.js";
import { statePageBytes } from "./state-page-bytes.js";
import { scopeIdOf } from "./state-scope.js";

/**
 * Reads one key. A deleted one is told as deleted, with the version from which it can be set again.
 *
 * @throws not_found for a key that never was set
 */
export async function getState(
  ctx: SessionContext<StateServices>,
  { key, scope, history, watchers }: ParsedInputOf<"get_state">,
): Promise<OutputOf<"get_state">> {
  const { orm } = ctx.services.database;
  const scopeId = scopeIdOf(ctx, scope);
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
  return authorName({ name: team, peer: { name: peer } });
}
