import type { AlertKind } from "@merkle/wire";

/** A person's preferences in this browser. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  /** How times are shown: relative to now if recent, as local clock time, or as UTC. */
  readonly time: "relative" | "local" | "utc";
  /** If true, Enter sends and Shift+Enter starts a new line. If false, the reverse. */
  readonly enterSends: boolean;
  /** Single-letter shortcuts: on, only with Alt, or off. */
  readonly letterKeys: "on" | "alt" | "off";
  /** The events that screen readers announce. */
  readonly announcements: "all" | "asks" | "off";
  /** The events that cause desktop notifications. Default: none. */
  readonly notifications: readonly AlertKind[];
  /** The size of the feed, as a percentage of the session page. */
  readonly split: number;
  /** Whether a comparison of document versions has one or two columns. */
  readonly diff: "unified" | "split";
  /** True once the person has closed the hint that the browser's own search covers only part of the feed. */
  readonly knowsFind: boolean;
}

export type PreferenceName = keyof Preferences;

export const defaultPreferences: Preferences = {
  theme: "system",
  density: "comfortable",
  time: "relative",
  enterSends: true,
  letterKeys: "on",
  announcements: "all",
  notifications: [],
  split: 58,
  diff: "unified",
  knowsFind: false,
};

export const preferencesKey = "merkle.preferences";

const isValid: { readonly [Name in PreferenceName]: (value: unknown) => boolean } = {
  theme: createChoiceCheck("system", "light", "dark"),
  density: createChoiceCheck("comfortable", "compact"),
  time: createChoiceCheck("relative", "local", "utc"),
  enterSends: (value) => typeof value === "boolean",
  letterKeys: createChoiceCheck("on", "alt", "off"),
  announcements: createChoiceCheck("all", "asks", "off"),
  notifications: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  split: (value) => typeof value === "number" && value >= 0 && value <= 100,
  diff: createChoiceCheck("unified", "split"),
  knowsFind: (value) => typeof value === "boolean",
};

/** Parses the stored preferences. Missing or invalid values get their defaults. */
export function parsePreferences(text: string | null): Preferences {
  const stored = parseObject(text);
  const validEntries = Object.entries(isValid).filter(([name, test]) => name in stored && test(stored[name]));
  // `isValid` has checked each of these values.
  return { ...defaultPreferences, ...Object.fromEntries(validEntries.map(([name]) => [name, stored[name]])) };
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function createChoiceCheck(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === "string" && values.includes(value);
}
