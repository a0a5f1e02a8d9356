"use client";

import { useCallback, useSyncExternalStore } from "react";
import { getPreferences, onPreferencesChanged, setPreference } from "./preference-store";
import { defaultPreferences, type PreferenceName, type Preferences } from "./preferences";

/** One choice of this browser and how to change it; the default in the page as exported. */
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
