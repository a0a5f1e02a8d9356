import { join } from "node:path";
import { describeSummaries } from "@merkle/broker/runner";
import { isClearText } from "@merkle/wire/client";
import type { BrokerOptions } from "../../core/broker-code.js";
import { usageError } from "../../core/cli-error.js";
import { readOneOf } from "../../core/flag-values.js";
import { isObject } from "../../core/is-object.js";
import { readSettingsText } from "../../core/read-settings-text.js";
import type { Config } from "../../settings/config.js";
import { type ForeignFile, isTrusted } from "../../settings/foreign-file.js";
import { toOneLine } from "../../text/one-line.js";

type ProgressSettings = Pick<BrokerOptions, "summaries" | "progressLogLevel"> & {
  /** Notices for the user who starts the broker. */
  readonly notices: readonly string[];
};

const fileName = "agent-progress.config.json";
const levels = ["debug", "info", "warn", "error"] as const;

type ProgressSources = Pick<Config, "environment" | "cwd">;

/**
 * Reads which model summarises progress entries (PROGRESS-8). The environment takes precedence over
 * `agent-progress.config.json` in the broker's folder, which is used only if trusted.
 *
 * Without an API key, entries are not summarised, unless `OPENAI_BASE_URL` names a model that needs no key. A
 * key is sent only to an address from the same source.
 *
 * @throws CliError `usage` that names the variable or file with the invalid value; a key is never repeated
 */
export function readProgressSettings({
  environment: env,
  cwd,
  home,
}: ProgressSources & { readonly home: string }): ProgressSettings {
  const path = join(cwd, fileName);
  const file = parseSettingsFile(path, readSettingsText(path), env);
  return toProgress(env, file, file !== undefined && isTrusted(home, file.foreign));
}

/** Describes whether progress entries are summarised, and by which model. */
export function describeSettings(config: ProgressSources & { readonly home: string }): string {
  return describeSummaries(readProgressSettings(config).summaries);
}

/** Combines the settings from the environment and the file. Ignores the file unless `isUsed` is true. */
export function toProgress(
  env: NodeJS.ProcessEnv,
  file: ProgressFile | undefined,
  isUsed: boolean,
): ProgressSettings {
  const { content, openai, logging } = file && isUsed ? file : emptyFile;
  const choose = (variable: string, from: Record<string, unknown>, key: string): SourcedText =>
    env[variable]
      ? { text: env[variable].trim(), source: variable }
      : { text: expandVariables(readText(from, key), env), source: `${key} in ${fileName}` };

  const apiKey = choose("OPENAI_API_KEY", openai, "apiKey").text;
  const model = readModel(choose("AGENT_PROGRESS_MODEL", openai, "model"));
  const level = choose("AGENT_PROGRESS_LOG_LEVEL", logging, "level");
  const path = choose("AGENT_PROGRESS_DB_PATH", content, "dbPath");
  const environmentAddress = { text: env["OPENAI_BASE_URL"]?.trim() || undefined, source: "OPENAI_BASE_URL" };
  const fileAddress = {
    text: expandVariables(readText(openai, "baseUrl"), env),
    source: `baseUrl in ${fileName}`,
  };
  const named = [
    { key: env["OPENAI_API_KEY"]?.trim(), address: environmentAddress },
    { key: expandVariables(readText(openai, "apiKey"), env), address: fileAddress },
  ].filter(({ address }) => address.text !== undefined);
  const baseUrl = readUrl(named.find(({ key }) => key === apiKey)?.address ?? noAddress);
  if (baseUrl !== undefined && baseUrl === fileAddress.text) refuseClearText(baseUrl);
  const unused = apiKey ? named.filter(({ key }) => key !== apiKey) : [];
  // An untrusted file may name another address. Until the user trusts the file, the key is not sent to the
  // default address either.
  const isDecided = file === undefined || isUsed || baseUrl !== undefined;
  // A local model needs no key, so an address from the environment is sufficient.
  const isKeyless = !apiKey && environmentAddress.text !== undefined && baseUrl === environmentAddress.text;
  return {
    summaries:
      (apiKey && isDecided) || isKeyless ? { apiKey: apiKey || undefined, baseUrl, model } : undefined,
    progressLogLevel: readOneOf(level.text?.toLowerCase() || undefined, level.source, levels),
    notices: [
      ...(file && !isUsed
        ? [`${file.foreign.path} is not used because you have not trusted it: merkle trust`]
        : []),
      ...unused.map(({ address }) => `${address.source} is not used: the key comes from another source.`),
      ...(path.text === undefined
        ? []
        : [`${path.source} is not used: progress entries are in Merkle's own database.`]),
    ],
  };
}

/** Returns the folder's settings file if the user must decide whether to trust it (CLI-82). */
export function findForeignSettings({ environment: env, cwd }: ProgressSources): ForeignFile | undefined {
  const path = join(cwd, fileName);
  return parseSettingsFile(path, readSettingsText(path), env)?.foreign;
}

const emptyFile = { content: {}, openai: {}, logging: {} };
const noAddress: SourcedText = { text: undefined, source: "" };

export interface ProgressFile {
  readonly content: Record<string, unknown>;
  readonly openai: Record<string, unknown>;
  readonly logging: Record<string, unknown>;
  readonly foreign: ForeignFile;
}

/** Parses the settings file. @throws CliError `usage` that describes the problem */
export function parseSettingsFile(
  path: string,
  text: string | undefined,
  env: NodeJS.ProcessEnv,
): ProgressFile | undefined {
  if (text === undefined) return undefined;
  const content = toObject(parse(text), fileName);
  const openai = toObject(content["openai"] ?? {}, `openai in ${fileName}`);
  const logging = toObject(content["logging"] ?? {}, `logging in ${fileName}`);
  const address = readText(openai, "baseUrl") ?? "https://api.openai.com/v1";
  const model = readText(openai, "model");
  // Searches the parsed content for variables, because escape sequences in the file could hide them.
  const variables = [
    ...new Set([...JSON.stringify(content).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)),
  ];
  const says = [
    `the text of progress entries, and a key, are sent to ${toOneLine(address)}`,
    ...(variables.length > 0 ? [`including these environment variables: ${variables.join(", ")}`] : []),
    ...(model === undefined ? [] : [`to be summarised by the model ${JSON.stringify(toOneLine(model))}`]),
  ];
  return {
    content,
    openai,
    logging,
    foreign: { path, says, content: [text, expandVariables(address, env) ?? null] },
  };
}

/**
 * Refuses an unencrypted address in the file. An address in the environment is the user's own responsibility.
 */
function refuseClearText(address: string): void {
  if (!isClearText(address)) return;
  throw usageError(
    `baseUrl in ${fileName} would send a key unencrypted, so anyone on the network could read it. Use https://, or set the address yourself in OPENAI_BASE_URL.`,
  );
}

interface SourcedText {
  readonly text: string | undefined;
  readonly source: string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Do not show the parser's message, which would quote the text and so possibly a key.
    throw usageError(`${fileName} is not valid JSON.`);
  }
}

function toObject(value: unknown, name: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw usageError(`${name} must be a JSON object.`);
}

function readText(from: Record<string, unknown>, key: string): string | undefined {
  const value = from[key];
  if (value === undefined || typeof value === "string") return value;
  throw usageError(`${key} in ${fileName} must be text.`);
}

/**
 * Replaces each `${NAME}` with the value of that environment variable. Returns undefined if one of the
 * variables is unset or empty.
 */
function expandVariables(text: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (text === undefined) return undefined;
  let isComplete = true;
  const filled = text.replace(/\$\{(\w+)\}/g, (_all, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    isComplete &&= Boolean(value);
    return value ?? "";
  });
  return isComplete ? filled.trim() : undefined;
}

function readModel({ text, source }: SourcedText): string | undefined {
  if (text === "") throw usageError(`${source} must name a model.`);
  return text;
}

/** Parses the address. Errors do not repeat the address, because it may contain a password. */
function readUrl({ text, source }: SourcedText): string | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw usageError(`${source} must be an address such as https://api.openai.com/v1.`);
}
