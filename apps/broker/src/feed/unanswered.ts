import type { SettingsStore } from "../core/settings-store.js";

/**
 * Returns the time before which something must have been asked to count as unanswered (ATT-15). Counts from
 * asking, no matter when the addressee received it.
 */
export function computeUnansweredCutoff({ settings }: { readonly settings: SettingsStore }): Date {
  const { unanswered_after_s } = settings.current;
  return new Date(unanswered_after_s === 0 ? 0 : Date.now() - unanswered_after_s * 1_000);
}
