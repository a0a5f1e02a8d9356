"use client";

import { useCallback, useSyncExternalStore } from "react";
import { getPreferences, onPreferencesChanged, setPreference } from "./preference-store";
import { defaultPreferences, type PreferenceName, type Preferences } from "./preferences";

/** Returns a preference and a function that changes it. In the exported page, the preference has its default value. */
export function usePreference<Name extends PreferenceName>(
  name: Name,
): [Preferences[Name], (value: Preferences[Name]) => void] {
  const value = useSyncExternalStore(
    onPreferencesChanged,
    () => getPreferences()[name],
    () => defaultPreferences[name],
  );
  const set = useCallback((next: Preferences[Name]) => setPreference(name, next), [name]);
  return [value, set];
}
