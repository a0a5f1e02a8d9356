import type { BrokerSettings } from "@merkle/wire";
import { brokerSettingsDefault } from "@merkle/wire/schemas";
import { describeDuration, findNearest, parseDuration } from "@merkle/wire/text";
import { usageError } from "../core/cli-error.js";

type SettingName = keyof BrokerSettings;

const settingNames = Object.keys(brokerSettingsDefault).filter(isSettingName);

/** Converts the name that the user typed to a setting. `url` is short for `public_url`. */
export function toSettingName(word: string): SettingName {
  if (word === "url") return "public_url";
  if (isSettingName(word)) return word;
  const known = ["url", ...settingNames];
  const suggestion = findNearest(word, known);
  throw usageError(
    `There is no setting ${JSON.stringify(word)}. ${suggestion ? `Did you mean ${suggestion}?` : `Settings: ${known.join(", ")}.`}`,
    "merkle config list",
  );
}

const secondsPerDay = 86_400;

/** Returns the unit of a setting that is a duration, in seconds. Undefined for other settings. */
function findUnitSeconds(name: SettingName): number | undefined {
  if (name.endsWith("_s")) return 1;
  return name.endsWith("_days") ? secondsPerDay : undefined;
}

/**
 * Converts the text that the user typed to a setting's value. `none` removes the public URL. A duration may
 * have a unit, such as `10m`. The broker checks whether the value is in range.
 */
export function toSettingValue(name: SettingName, text: string): Partial<BrokerSettings> {
  if (name === "public_url") return { public_url: text === "none" ? null : text };
  if (typeof brokerSettingsDefault[name] === "boolean") return { [name]: toSwitch(name, text) };
  if (/^-?\d+$/.test(text)) return { [name]: Number(text) };
  const unitSeconds = findUnitSeconds(name);
  if (unitSeconds === undefined) {
    throw usageError(`${name} must be a whole number, got ${JSON.stringify(text)}.`);
  }
  const value = (parseDuration(text) ?? Number.NaN) / unitSeconds;
  if (Number.isInteger(value)) return { [name]: value };
  const form = unitSeconds === 1 ? "a duration such as 10m or 2h" : "a number of days such as 30d or 2 weeks";
  throw usageError(`${name} must be ${form}, got ${JSON.stringify(text)}.`);
}

/** Formats a setting's value for people: a duration with its unit, such as `10 minutes`. */
export function formatSettingValue(name: SettingName, value: BrokerSettings[SettingName]): string {
  const unitSeconds = findUnitSeconds(name);
  if (unitSeconds === undefined || typeof value !== "number") return String(value);
  return describeDuration(value * unitSeconds);
}

function toSwitch(name: SettingName, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw usageError(`${name} must be true or false, got ${JSON.stringify(text)}.`);
}

function isSettingName(word: string): word is SettingName {
  return Object.hasOwn(brokerSettingsDefault, word);
}
