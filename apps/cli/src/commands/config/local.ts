import { findNearest } from "@merkle/wire/text";
import { usageError } from "../../core/cli-error.js";
import { listFeatureSettings } from "../../feature-hooks.js";
import type { Config } from "../../settings/config.js";
import type { Setting, SettingSources } from "../../settings/setting.js";
import { coreSettings, settings } from "../../settings/settings.js";

/**
 * A setting of this machine, made safe to show: without tokens, and without addresses that may contain a
 * password.
 */
export interface LocalValue {
  readonly value: unknown;
  readonly source: string;
}

/** Returns all settings of this machine with their sources, as `merkle up` would read them in this folder. */
export async function readLocal(config: Config): Promise<Readonly<Record<string, LocalValue>>> {
  const local: Record<string, LocalValue> = {};
  // Each setting has the same name in `settings` and in `Config`.
  for (const key of Object.keys(settings) as (keyof typeof settings)[]) {
    const setting: Setting = settings[key];
    if (setting.name === undefined) continue;
    const value = setting.show((key === "url" ? config.broker.base : config[key]) as never);
    local[setting.name] = { value, source: config.getSource(setting) };
  }
  for (const [name, setting] of Object.entries(await listFeatureSettings())) {
    if (setting.read) local[name] = { value: await setting.read(config), source: config.getSource(setting) };
  }
  return local;
}

/**
 * Finds a setting that `merkle config list` shows, and returns where it can be set. @throws CliError `usage`
 * for an unknown name
 */
export async function findLocalSetting(word: string): Promise<SettingSources> {
  const ofFeatures = Object.entries(await listFeatureSettings()).filter(([, { read }]) => read);
  const all = new Map<string, SettingSources>(ofFeatures);
  for (const setting of coreSettings) if (setting.name !== undefined) all.set(setting.name, setting);
  const setting = all.get(word);
  if (setting) return setting;
  const names = [...all.keys()];
  const suggestion = findNearest(word, names);
  throw usageError(
    `This machine has no setting ${JSON.stringify(word)}. ${suggestion ? `Did you mean ${suggestion}?` : `Available: ${names.join(", ")}.`}`,
    "merkle config list --local",
  );
}

/** Formats a value for display. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
