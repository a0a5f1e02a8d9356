import { type SessionSettings, sessionSettingsDefault } from "@merkle/wire";

/** What a session's row holds, with the default for what it leaves out. */
export function toSessionSettings(stored: unknown): SessionSettings {
  return { ...sessionSettingsDefault, ...(typeof stored === "object" ? stored : {}) };
}
