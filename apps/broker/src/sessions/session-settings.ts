import { setMessageBudget, setTokensNear, updateSessionRow } from "@merkle/db";
import type { SessionSettings } from "@merkle/wire";
import { sessionSettingsDefault } from "@merkle/wire/schemas";
import type { Write } from "../core/write.js";

/** Returns the settings that a session's row holds, with the default for each one that it leaves out. */
export function toSessionSettings(stored: unknown): SessionSettings {
  return { ...sessionSettingsDefault, ...(typeof stored === "object" ? stored : {}) };
}

interface Changed {
  readonly sessionId: string;
  readonly by: string;
  /** The peer of who changes them, where there is one. */
  readonly causedBy: string | null;
  readonly old: SessionSettings;
  readonly settings: { readonly [Name in keyof SessionSettings]?: SessionSettings[Name] | undefined };
}

/** Changes a session's settings, with the session held, and tells everyone what was changed by whom (SET-6). */
export async function changeSessionSettings(
  { tx, announce }: Write,
  { sessionId, by, causedBy, old, settings }: Changed,
): Promise<void> {
  const next: SessionSettings = { ...old, ...withoutUndefined(settings) };
  const changes = Object.fromEntries(
    settingNames(next)
      .filter((name) => next[name] !== old[name])
      .map((name) => [name, { from: old[name], to: next[name] }]),
  );
  if (Object.keys(changes).length === 0) return;
  await updateSessionRow(tx, sessionId, { settings: next });
  if (next.message_budget !== old.message_budget) {
    await setMessageBudget(tx, sessionId, next.message_budget);
  }
  if (next.token_budget !== old.token_budget || next.team_token_budget !== old.team_token_budget) {
    // The next report finds out whether that is near the new one.
    await setTokensNear(tx, sessionId, null);
  }
  const event = { event: "settings_changed", by, changes, at: new Date().toISOString() } as const;
  await announce(sessionId, event, { causedBy, afterClosing: true });
}

function settingNames(settings: SessionSettings): (keyof SessionSettings)[] {
  // Both were parsed by the schema of these names.
  return Object.keys(settings) as (keyof SessionSettings)[];
}

function withoutUndefined<Values extends object>(values: Values): Partial<SessionSettings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
