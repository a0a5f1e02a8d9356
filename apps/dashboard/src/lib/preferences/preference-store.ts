import { type PreferenceName, type Preferences, parsePreferences, preferencesKey } from "./preferences";

/*
 * A browser's storage is one for all of a page; this module holds what was last read from it, and who wants to know.
 */
const listeners = new Set<() => void>();
let known: { readonly text: string | null; readonly preferences: Preferences } | undefined;

/** What was chosen, in this tab or in another; the same object until something changes. */
export function getPreferences(): Preferences {
  const text = readStorage();
  if (known === undefined || text !== known.text) known = { text, preferences: parsePreferences(text) };
  return known.preferences;
}

export function setPreference<Name extends PreferenceName>(name: Name, value: Preferences[Name]): void {
  const preferences = { ...getPreferences(), [name]: value };
  const text = JSON.stringify(preferences);
  known = { text, preferences };
  try {
    localStorage.setItem(preferencesKey, text);
  } catch {
    // A browser that keeps nothing: the choice lasts as long as the page.
  }
  for (const listener of [...listeners]) listener();
}

/** Listens to choices made here and in other tabs. */
export function onPreferencesChanged(listener: () => void): () => void {
  const onStorage = ({ key }: StorageEvent) => (key === preferencesKey || key === null) && listener();
  listeners.add(listener);
  window.addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", onStorage);
  };
}

function readStorage(): string | null {
  try {
    return localStorage.getItem(preferencesKey);
  } catch {
    return known?.text ?? null;
  }
}
