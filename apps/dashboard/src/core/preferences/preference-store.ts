import { createStoredValue } from "@/core/preferences/stored-value";
import { type PreferenceName, type Preferences, parsePreferences, preferencesKey } from "./preferences";

const stored = createStoredValue(preferencesKey, parsePreferences);

/** Returns the person's choices, made in this tab or in another; the same object until something changes. */
export const getPreferences: () => Preferences = stored.get;

/** Listens to choices made here and in other tabs. */
export const onPreferencesChanged: (listener: () => void) => () => void = stored.onChange;

export function setPreference<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void {
  stored.set(JSON.stringify({ ...getPreferences(), [name]: value }));
}
