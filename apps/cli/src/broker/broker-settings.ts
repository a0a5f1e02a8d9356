import type { BrokerSettings } from "@merkle/wire";
import { brokerSettingsDefault } from "@merkle/wire/schemas";
import { findNearest } from "@merkle/wire/text";
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

/**
 * Converts the text that the user typed to a setting's value. `none` removes the public URL. The broker
 * checks whether the value is in range.
 */
export function toSettingValue(name: SettingName, text: string): Partial<BrokerSettings> {
  if (name === "public_url") return { public_url: text === "none" ? null : text };
  if (typeof brokerSettingsDefault[name] === "boolean") return { [name]: toSwitch(name, text) };
  if (/^-?\d+$/.test(text)) return { [name]: Number(text) };
  throw usageError(`${name} must be a whole number, got ${JSON.stringify(text)}.`);
}

function toSwitch(name: SettingName, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw usageError(`${name} must be true or false, got ${JSON.stringify(text)}.`);
}

function isSettingName(word: string): word is SettingName {
  return Object.hasOwn(brokerSettingsDefault, word);
}
