import { setMessageBudget, setTokensNear, updateSessionRow } from "@merkle/db";
import type { SessionSettings } from "@merkle/wire";
import { sessionSettingsDefault } from "@merkle/wire/schemas";
import type { Write } from "../core/write.js";

/** Returns a session's stored settings, with defaults for settings that are missing. */
export function toSessionSettings(stored: unknown): SessionSettings {
  return { ...sessionSettingsDefault, ...(typeof stored === "object" ? stored : {}) };
}

interface SettingsChange {
  readonly sessionId: string;
  readonly by: string;
  /** The peer that changes the settings, or null if the change is not made by a peer. */
  readonly causedBy: string | null;
  readonly old: SessionSettings;
  readonly settings: { readonly [Name in keyof SessionSettings]?: SessionSettings[Name] | undefined };
}

/**
 * Changes a session's settings and announces which settings changed and who changed them (SET-6). The session row must be
 * locked.
 */
export async function changeSessionSettings(
  { tx, announce }: Write,
  { sessionId, by, causedBy, old, settings }: SettingsChange,
): Promise<void> {
  const next: SessionSettings = { ...old, ...withoutUndefined(settings) };
  const changes = Object.fromEntries(
    listSettingNames(next)
      .filter((name) => next[name] !== old[name])
      .map((name) => [name, { from: old[name], to: next[name] }]),
  );
  if (Object.keys(changes).length === 0) return;
  await updateSessionRow(tx, sessionId, { settings: next });
  if (next.message_budget !== old.message_budget) {
    await setMessageBudget(tx, sessionId, next.message_budget);
  }
  if (next.token_budget !== old.token_budget || next.team_token_budget !== old.team_token_budget) {
    // Resets the warning, so that the next usage report checks again whether the new budget is nearly used
    // up.
    await setTokensNear(tx, sessionId, null);
  }
  const event = { event: "settings_changed", by, changes, at: new Date().toISOString() } as const;
  await announce(sessionId, event, { causedBy, afterClosing: true });
}

function listSettingNames(settings: SessionSettings): (keyof SessionSettings)[] {
  // The settings were parsed by the schema that defines these names, so the cast is safe.
  return Object.keys(settings) as (keyof SessionSettings)[];
}

function withoutUndefined<Values extends object>(values: Values): Partial<SessionSettings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
