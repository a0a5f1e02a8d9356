import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { changeState } from "./change-state.js";
import type { StateServices } from "./services.js";

/**
 * Deletes a key's value and tells who watches it; its versions go on from there (STATE-2). Deleting it again changes
 * nothing.
 *
 * @throws not_found for a key that never was set, or conflict
 */
export async function deleteState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"delete_state">,
): Promise<OutputOf<"delete_state">> {
  const { entry, changed } = await changeState(ctx, input, null);
  return { key: entry.key, version: entry.version, changed };
}
