import { clearStateEntry, findAnnouncedVersionBefore, lockStateEntry, redactStateVersions } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { TextRemovalHook } from "../../views/hooks.js";
import type { ViewServices } from "../../views/services.js";

/**
 * Removes the values in a redacted state event. One event can cover several quick changes, so all values set
 * since the previous event are removed.
 */
export const forgetValues: TextRemovalHook<ViewServices> = {
  async forgetEvent(ctx, { tx }, { sequence, event }) {
    if (event.event !== "state_changed") return;
    const { key, version } = event;
    const { sessionId } = ctx.session;
    const entry = await lockStateEntry(tx, sessionId, key);
    if (!entry) return;
    if (entry.version === version && entry.value !== null) {
      const channel = await ctx.services.channels.open(sessionId);
      if (!channel.isClosed) throw stillHeld(key);
      await clearStateEntry(tx, sessionId, key);
    }
    const before = await findAnnouncedVersionBefore(tx, sessionId, key, sequence);
    await redactStateVersions(tx, sessionId, key, { from: before + 1, to: version });
  },
};

function stillHeld(key: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The state key "${key}" still has this value, so nothing was removed. Change or delete the key first, then remove this message.`,
    { key, next: "set_state" },
  );
}
