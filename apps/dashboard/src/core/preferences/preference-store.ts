import { createStoredValue } from "@/core/preferences/stored-value";
import { type PreferenceName, type Preferences, parsePreferences, preferencesKey } from "./preferences";

const stored = createStoredValue(preferencesKey, parsePreferences);

/** Returns the preferences, including changes made in other tabs. The object is the same until a preference changes. */
export const getPreferences: () => Preferences = stored.get;

/** Calls the listener when a preference changes, in this or another tab. */
export const onPreferencesChanged: (listener: () => void) => () => void = stored.onChange;

export function setPreference<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void {
  stored.set(JSON.stringify({ ...getPreferences(), [name]: value }));
}
