import { access, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type RateLimit, type RateLimitName, type RateLimits, rateLimits } from "@merkle/wire/limits";
import { type CliError, usageError } from "../core/cli-error.js";
import { explainingHome } from "../core/merkle-home.js";
import { readSettingsText } from "../core/read-settings-text.js";
import { replaceFile } from "../core/replace-file.js";

/** The keys of a configuration file. `scripts/docs/config-tables.ts` documents each of them. */
export type ConfigKey =
  | "mcp_url"
  | "name"
  | "approvers"
  | "mesh"
  | "ca"
  | "insecure"
  | "report_usage"
  | "tls_cert"
  | "tls_key"
  | "trusted_proxies"
  | "rate_limits";

/** The parsed content of a `.merkle.json` or `config.json`. Keys of other programs are ignored. */
export interface ConfigFile {
  readonly path: string;
  /** The file's text as read; empty if the file is missing. */
  readonly text: string;
  /** All top-level keys with their values, including those of features and of other programs. */
  readonly content: Readonly<Record<string, unknown>>;
  readonly mcpUrl: string | undefined;
  readonly name: string | undefined;
  readonly approvers: readonly string[] | undefined;
  readonly mesh: string | undefined;
  /** An absolute path. A relative path in the file starts at the file's folder. */
  readonly ca: string | undefined;
  readonly insecure: boolean | undefined;
  readonly reportUsage: boolean | undefined;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly trustedProxies: readonly string[] | undefined;
  readonly rateLimits: Partial<RateLimits> | "off" | undefined;
}

/** Reads a configuration file. Treats a missing file as empty. */
export function readConfigFile(path: string): ConfigFile {
  return parseConfigFile(path, readSettingsText(path));
}

/** Parses a configuration file. @throws CliError `usage` that names the key and the file */
export function parseConfigFile(path: string, text: string | undefined): ConfigFile {
  const content = toContent(path, text);
  const at = (key: ConfigKey): Given => ({ value: content[key], name: `${key} in ${path}` });
  const pathAt = (key: ConfigKey) => {
    const file = readText(at(key));
    return file === undefined ? undefined : resolve(dirname(path), file);
  };
  return {
    path,
    text: text ?? "",
    content,
    mcpUrl: readText(at("mcp_url")),
    name: readText(at("name")),
    approvers: readList(at("approvers")),
    mesh: readText(at("mesh")),
    ca: pathAt("ca"),
    insecure: readSwitch(at("insecure")),
    reportUsage: readSwitch(at("report_usage")),
    tlsCert: pathAt("tls_cert"),
    tlsKey: pathAt("tls_key"),
    trustedProxies: readList(at("trusted_proxies")),
    rateLimits: readRates(at("rate_limits")),
  };
}

/** A value from a configuration file, with its name for error messages. */
export interface Given {
  readonly value: unknown;
  readonly name: string;
}

export function readText(given: Given): string | undefined {
  if (given.value === undefined || typeof given.value === "string") return given.value;
  throw wrong(given, "text");
}

export function readSwitch(given: Given): boolean | undefined {
  if (given.value === undefined || typeof given.value === "boolean") return given.value;
  throw wrong(given, "true or false");
}

function readList(given: Given): readonly string[] | undefined {
  const { value } = given;
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw wrong(given, "a list of strings");
}

export function wrong({ value, name }: Given, expected: string): CliError {
  return usageError(`${name} must be ${expected}, got ${JSON.stringify(value)}.`);
}

/**
 * Finds the `.merkle.json` of the project that contains `folder`: the nearest one, searching up to the root
 * of the repository.
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
 * Changes one value in a file readable only by its owner. Undefined removes the key.
 *
 * @throws CliError `usage` for an invalid value; the file is then unchanged
 */
export async function writeConfigValue(path: string, key: string, value: unknown): Promise<void> {
  const { [key]: _, ...others } = toContent(path, readSettingsText(path));
  const content = value === undefined ? others : { ...others, [key]: value };
  await writeConfigText(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Replaces a configuration file. @throws CliError `usage` for an invalid text; the file is then unchanged */
export async function writeConfigText(path: string, text: string): Promise<void> {
  parseConfigFile(path, text);
  await explainingHome(dirname(path), async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceFile(path, text);
  });
}

function toContent(path: string, text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const value = parse(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw usageError(`${path} must contain a JSON object, such as {"mcp_url": "http://localhost:7423"}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
    return undefined;
  }
}

async function isRepository(folder: string): Promise<boolean> {
  return access(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}

/**
 * Parses the broker's rate limits that differ from the defaults: `"off"`, or an object such as
 * `{"member_write": {"per_second": 50, "burst": 500}}`.
 *
 * @throws CliError `usage` that names the key and the file
 */
function readRates(given: Given): Partial<RateLimits> | "off" | undefined {
  const { value, name: source } = given;
  if (value === undefined || value === "off") return value;
  if (!isObject(value)) throw wrong(given, '"off" or an object');
  return Object.fromEntries(
    Object.entries(value).map(([name, rate]) => [
      requireName(name, source),
      readRate(rate, `${name} of ${source}`),
    ]),
  );
}

function requireName(name: string, source: string): RateLimitName {
  const known = (Object.keys(rateLimits) as RateLimitName[]).find((each) => each === name);
  if (known) return known;
  throw usageError(
    `${source} has no rate ${JSON.stringify(name)}. Available: ${Object.keys(rateLimits).join(", ")}.`,
  );
}

function readRate(value: unknown, source: string): RateLimit {
  if (isObject(value) && Object.keys(value).sort().join() === "burst,per_second") {
    const { burst, per_second } = value;
    if (typeof burst === "number" && burst >= 1 && typeof per_second === "number" && per_second > 0)
      return { burst, per_second };
  }
  throw wrong({ value, name: source }, '{"per_second": 50, "burst": 500} with a burst of at least 1');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
