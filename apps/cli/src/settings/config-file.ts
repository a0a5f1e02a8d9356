import { access, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { usageError } from "../core/cli-error.js";
import { isObject } from "../core/is-object.js";
import { explainHomeErrors } from "../core/merkle-home.js";
import { readSettingsText } from "../core/read-settings-text.js";
import { replaceFile } from "../core/replace-file.js";
import { findInFile, type SettingsFile } from "./setting.js";
import { coreSettings } from "./settings.js";

/**
 * The parsed content of a `.merkle.json` or `config.json` file, including keys that belong to features and to
 * other programs.
 */
export interface ConfigFile extends SettingsFile {
  /** The text of the file. Empty if the file does not exist. */
  readonly text: string;
}

/** Reads a configuration file. A missing file counts as a file without keys. */
export function readConfigFile(path: string): ConfigFile {
  return parseConfigFile(path, readSettingsText(path));
}

/**
 * Parses a configuration file, and checks the types of the core's keys.
 *
 * @throws CliError `usage`, naming the key and the file
 */
export function parseConfigFile(path: string, text: string | undefined): ConfigFile {
  const file = { path, text: text ?? "", content: toContent(path, text) };
  for (const { key, parse } of coreSettings) {
    const given = key && findInFile(key, file);
    if (given) (key.checkType ?? parse)(given);
  }
  return file;
}

/**
 * Finds the `.merkle.json` of the project that contains `folder`: the nearest such file, searching up to the
 * root of the repository.
 */
export async function findProjectFile(folder: string): Promise<ConfigFile | undefined> {
  const path = join(folder, ".merkle.json");
  const text = readSettingsText(path);
  if (text !== undefined) return parseConfigFile(path, text);
  const parent = dirname(folder);
  if (parent === folder || (await isRepository(folder))) return undefined;
  return findProjectFile(parent);
}

/**
 * Changes one value in a file that only its owner can read. Undefined removes the key.
 *
 * @throws CliError `usage` for an invalid value, in which case the file is unchanged
 */
export async function writeConfigValue(path: string, key: string, value: unknown): Promise<void> {
  const { [key]: _, ...others } = toContent(path, readSettingsText(path));
  const content = value === undefined ? others : { ...others, [key]: value };
  await writeConfigText(path, `${JSON.stringify(content, null, 2)}\n`);
}

/**
 * Replaces a configuration file. @throws CliError `usage` if the text is invalid, in which case the file is
 * unchanged
 */
export async function writeConfigText(path: string, text: string): Promise<void> {
  parseConfigFile(path, text);
  await explainHomeErrors(dirname(path), async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, text);
  });
}

function toContent(path: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const value = parse(text);
  if (isObject(value)) return value;
  throw usageError(`${path} must contain a JSON object, such as {"mcp_url": "http://localhost:7423"}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON leads to the same error as JSON that is not an object.
    return undefined;
  }
}

async function isRepository(folder: string): Promise<boolean> {
  return access(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}
