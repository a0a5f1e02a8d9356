import { redactClaimReason, redactTaskTexts } from "@merkle/db";
import type { TextRemovalHook } from "../../views/hooks.js";
import type { ViewServices } from "../../views/services.js";

/** Removes a redacted event's text from its task or claim. */
export const forgetTexts: TextRemovalHook<ViewServices> = {
  async forgetEvent({ session: { sessionId } }, { tx }, { event }) {
    if (event.event === "task_changed") await redactTaskTexts(tx, { sessionId, number: event.task }, event);
    if (event.event === "claim_changed")
      await redactClaimReason(tx, { sessionId, number: event.claim }, event.reason);
  },
};
