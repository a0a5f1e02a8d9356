import { join } from "node:path";
import { isClearText } from "@merkle/wire/client";
import type { BrokerOptions } from "../core/broker-code.js";
import { usageError } from "../core/cli-error.js";
import { readOneOf } from "../core/flag-values.js";
import { readSettingsText } from "../core/read-settings-text.js";
import { oneLine } from "../text/one-line.js";
import { type ForeignFile, isTrusted } from "./foreign-file.js";

type Progress = Pick<BrokerOptions, "summaries" | "progressLogLevel"> & {
  /** Sentences for whoever starts the broker. */
  readonly notices: readonly string[];
};

const fileName = "agent-progress.config.json";
const levels = ["debug", "info", "warn", "error"] as const;

interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * Reads who summarises progress entries from the environment, and where that says nothing from `agent-progress.config.json` in
 * the folder that the broker is started in, once a person trusts it (PROGRESS-8). Without a key nobody does, but where `OPENAI_BASE_URL` names a model that takes none. An address goes with
 * a key that the same source names: a key of one never goes to an address of the other.
 *
 * @throws CliError `usage`, naming the variable or the file that holds a bad value; a key is never repeated
 */
export function readProgressSettings({ env, cwd, home }: Sources & { readonly home: string }): Progress {
  const path = join(cwd, fileName);
  const found = parseSettingsFile(path, readSettingsText(path), env);
  return toProgress(env, found, found !== undefined && isTrusted(home, found.foreign));
}

/** Puts together what the environment and the file say; a file that nobody trusts is not used at all. */
export function toProgress(
  env: NodeJS.ProcessEnv,
  found: SettingsFile | undefined,
  isUsed: boolean,
): Progress {
  const { content, openai, logging } = found && isUsed ? found : nothing;
  const choose = (variable: string, from: Record<string, unknown>, key: string): Chosen =>
    env[variable]
      ? { text: env[variable].trim(), source: variable }
      : { text: fillIn(readText(from, key), env), source: `${key} in ${fileName}` };

  const apiKey = choose("OPENAI_API_KEY", openai, "apiKey").text;
  const model = readModel(choose("AGENT_PROGRESS_MODEL", openai, "model"));
  const level = choose("AGENT_PROGRESS_LOG_LEVEL", logging, "level");
  const path = choose("AGENT_PROGRESS_DB_PATH", content, "dbPath");
  const ofEnvironment = { text: env["OPENAI_BASE_URL"]?.trim() || undefined, source: "OPENAI_BASE_URL" };
  const ofFile = { text: fillIn(readText(openai, "baseUrl"), env), source: `baseUrl in ${fileName}` };
  const named = [
    { key: env["OPENAI_API_KEY"]?.trim(), address: ofEnvironment },
    { key: fillIn(readText(openai, "apiKey"), env), address: ofFile },
  ].filter(({ address }) => address.text !== undefined);
  const baseUrl = readUrl(named.find(({ key }) => key === apiKey)?.address ?? nowhere);
  if (baseUrl !== undefined && baseUrl === ofFile.text) refuseClearText(baseUrl);
  const unused = apiKey ? named.filter(({ key }) => key !== apiKey) : [];
  // Whoever wrote where a key belongs did not mean the usual address: until that is trusted the key goes nowhere.
  const isDecided = found === undefined || isUsed || baseUrl !== undefined;
  // A model on one's own machine takes no key: who names its address in the environment means it.
  const isKeyless = !apiKey && ofEnvironment.text !== undefined && baseUrl === ofEnvironment.text;
  return {
    summaries:
      (apiKey && isDecided) || isKeyless ? { apiKey: apiKey || undefined, baseUrl, model } : undefined,
    progressLogLevel: readOneOf(level.text?.toLowerCase() || undefined, level.source, levels),
    notices: [
      ...(found && !isUsed
        ? [`${found.foreign.path} is not used because you have not trusted it: merkle trust`]
        : []),
      ...unused.map(({ address }) => `${address.source} is not used: the key comes from another source.`),
      ...(path.text === undefined
        ? []
        : [`${path.source} is not used: progress entries are in Merkle's own database.`]),
    ],
  };
}

/** The file, where there is one that a person would be asked about (CLI-82). */
export function findForeignSettings({ env, cwd }: Sources): ForeignFile | undefined {
  const path = join(cwd, fileName);
  return parseSettingsFile(path, readSettingsText(path), env)?.foreign;
}

const nothing = { content: {}, openai: {}, logging: {} };
const nowhere: Chosen = { text: undefined, source: "" };

export interface SettingsFile {
  readonly content: Record<string, unknown>;
  readonly openai: Record<string, unknown>;
  readonly logging: Record<string, unknown>;
  readonly foreign: ForeignFile;
}

/** @throws CliError `usage`, naming what is wrong with the file */
export function parseSettingsFile(
  path: string,
  text: string | undefined,
  env: NodeJS.ProcessEnv,
): SettingsFile | undefined {
  if (text === undefined) return undefined;
  const content = toObject(parse(text), fileName);
  const openai = toObject(content["openai"] ?? {}, `openai in ${fileName}`);
  const logging = toObject(content["logging"] ?? {}, `logging in ${fileName}`);
  const address = readText(openai, "baseUrl") ?? "https://api.openai.com/v1";
  const model = readText(openai, "model");
  // The parsed text is searched: an escape in the file would hide one.
  const variables = [
    ...new Set([...JSON.stringify(content).matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)),
  ];
  const says = [
    `the text of progress entries, and a key, are sent to ${oneLine(address)}`,
    ...(variables.length > 0 ? [`including these environment variables: ${variables.join(", ")}`] : []),
    ...(model === undefined ? [] : [`to be summarised by the model ${JSON.stringify(oneLine(model))}`]),
  ];
  return { content, openai, logging, foreign: { path, says, content: [text, fillIn(address, env) ?? null] } };
}

/** The user answers for the way to an address of the user's own. */
function refuseClearText(address: string): void {
  if (!isClearText(address)) return;
  throw usageError(
    `baseUrl in ${fileName} would send a key unencrypted, so anyone on the network could read it. Use https://, or set the address yourself in OPENAI_BASE_URL.`,
  );
}

interface Chosen {
  readonly text: string | undefined;
  readonly source: string;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The reason would quote the text, and a key may stand in it.
    throw usageError(`${fileName} is not valid JSON.`);
  }
}

function toObject(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw usageError(`${name} must be a JSON object.`);
}

function readText(from: Record<string, unknown>, key: string): string | undefined {
  const value = from[key];
  if (value === undefined || typeof value === "string") return value;
  throw usageError(`${key} in ${fileName} must be text.`);
}

/** `${NAME}` stands for what the environment has under that name; where it has nothing, nothing is said. */
function fillIn(text: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  if (text === undefined) return undefined;
  let isWhole = true;
  const filled = text.replace(/\$\{(\w+)\}/g, (_all, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    isWhole &&= Boolean(value);
    return value ?? "";
  });
  return isWhole ? filled.trim() : undefined;
}

function readModel({ text, source }: Chosen): string | undefined {
  if (text === "") throw usageError(`${source} must name a model.`);
  return text;
}

/** Not repeated where it is wrong: it may hold a password. */
function readUrl({ text, source }: Chosen): string | undefined {
  if (text === undefined) return undefined;
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw usageError(`${source} must be an address such as https://api.openai.com/v1.`);
}
