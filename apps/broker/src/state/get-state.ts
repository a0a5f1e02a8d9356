import { findStateEntry, listStateVersions } from "@merkle/db";
import { limits } from "@merkle/wire";
import type { OutputOf, ParsedInputOf, SessionContext } from "../context.js";
import { noSuchKey } from "./no-such-key.js";
import { toStateEntry } from "./state-entry.js";
import { statePageBytes } from "./state-page-bytes.js";
import { scopeIdOf } from "./state-scope.js";

/**
 * Reads one key. A deleted one is told as deleted, with the version from which it can be set again.
 *
 * @throws not_found for a key that never was set
 */
export async function getState(
  ctx: SessionContext,
  { key, scope, history }: ParsedInputOf<"get_state">,
): Promise<OutputOf<"get_state">> {
  const { orm } = ctx.services.database;
  const scopeId = scopeIdOf(ctx, scope);
  const entry = await findStateEntry(orm, scopeId, key);
  if (!entry) throw noSuchKey(key, scope);
  if (!history) return toStateEntry(entry);
  const versions = await listStateVersions(orm, scopeId, key, {
    rowsMax: limits.stateHistoryMax,
    bytesMax: statePageBytes(ctx),
  });
  return { ...toStateEntry(entry), history: versions.map(toStateEntry) };
}
