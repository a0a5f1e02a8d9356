import { canonicalJson, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { changeState } from "./change-state.js";
import type { StateServices } from "./services.js";

/**
 * Sets a key, and tells who watches it. Setting the value that it has changes nothing (STATE-4). Of callers who pass the
 * same `expected_version`, one succeeds (STATE-5).
 *
 * @throws conflict, with what the key holds, so that a retry needs no second call
 */
export async function setState(
  ctx: TeamContext<StateServices>,
  input: ParsedInputOf<"set_state">,
): Promise<OutputOf<"set_state">> {
  const { entry, ...rest } = await changeState(ctx, input, canonicalJson(input.value));
  return { ...entry, ...rest };
}
