import type { AlertKind } from "@merkle/wire";

/** A person's choices for this browser. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  /** How times are shown: as their age where that says more, as the clock here, or as UTC. */
  readonly time: "relative" | "local" | "utc";
  /** Whether Enter sends and Shift+Enter begins a line, or the other way round. */
  readonly enterSends: boolean;
  /** Single-letter keys: as they are, only together with Alt, or not at all. */
  readonly letterKeys: "on" | "alt" | "off";
  /** The announcements that are read out to screen readers as they happen. */
  readonly announcements: "all" | "asks" | "off";
  /** The reasons for desktop notifications. Default: none. */
  readonly notifications: readonly AlertKind[];
  /** The feed's share of the session page, in percent. */
  readonly split: number;
  /** Whether two versions of the document are shown one below the other or side by side. */
  readonly diff: "unified" | "split";
  /** Whether it is known that the browser's own search sees only a part of the feed. */
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
  theme: oneOf("system", "light", "dark"),
  density: oneOf("comfortable", "compact"),
  time: oneOf("relative", "local", "utc"),
  enterSends: (value) => typeof value === "boolean",
  letterKeys: oneOf("on", "alt", "off"),
  announcements: oneOf("all", "asks", "off"),
  notifications: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  split: (value) => typeof value === "number" && value >= 0 && value <= 100,
  diff: oneOf("unified", "split"),
  knowsFind: (value) => typeof value === "boolean",
};

/** Reads the stored preferences. Missing or invalid values get their defaults. */
export function parsePreferences(text: string | null): Preferences {
  const kept = parseObject(text);
  const valid = Object.entries(isValid).filter(([name, test]) => name in kept && test(kept[name]));
  // Each value that is taken over was found to be one that its name may have.
  return { ...defaultPreferences, ...Object.fromEntries(valid.map(([name]) => [name, kept[name]])) };
}

function parseObject(text: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function oneOf(...values: readonly string[]): (value: unknown) => boolean {
  return (value) => typeof value === "string" && values.includes(value);
}
