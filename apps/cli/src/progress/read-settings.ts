import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BrokerOptions } from "@merkle/broker";
import { usageError } from "../cli-error.js";
import { readOneOf } from "../one-of.js";

type Progress = Pick<BrokerOptions, "summaries" | "progressLogLevel"> & {
  /** What whoever starts the broker should know. */
  readonly notices: readonly string[];
};

const fileName = "agent-progress.config.json";
const levels = ["debug", "info", "warn", "error"] as const;

/**
 * Who summarises progress entries: what the environment says, and where it says nothing `agent-progress.config.json` in
 * the folder that the broker is started in (PROGRESS-8). Without a key nobody does.
 *
 * @throws CliError `usage`, naming the variable or the file that holds a bad value; a key is never repeated
 */
export async function readProgressSettings({
  env,
  cwd,
}: {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}): Promise<Progress> {
  const file = await readFile(join(cwd, fileName), "utf8").catch(noneWhereMissing);
  const content = file === undefined ? {} : toObject(parse(file), fileName);
  const openai = toObject(content["openai"] ?? {}, `openai in ${fileName}`);
  const logging = toObject(content["logging"] ?? {}, `logging in ${fileName}`);
  const choose = (variable: string, from: Record<string, unknown>, key: string): Chosen =>
    env[variable]
      ? { text: env[variable].trim(), source: variable }
      : { text: fillIn(readText(from, key), env), source: `${key} in ${fileName}` };

  const apiKey = choose("OPENAI_API_KEY", openai, "apiKey").text;
  const baseUrl = readUrl(choose("OPENAI_BASE_URL", openai, "baseUrl"));
  const model = readModel(choose("AGENT_PROGRESS_MODEL", openai, "model"));
  const level = choose("AGENT_PROGRESS_LOG_LEVEL", logging, "level");
  const path = choose("AGENT_PROGRESS_DB_PATH", content, "dbPath");
  return {
    summaries: apiKey ? { apiKey, baseUrl, model } : undefined,
    progressLogLevel: readOneOf(level.text?.toLowerCase() || undefined, level.source, levels),
    notices:
      path.text === undefined
        ? []
        : [`${path.source} is not used: progress entries are in Merkle's own database.`],
  };
}

interface Chosen {
  readonly text: string | undefined;
  readonly source: string;
}

function noneWhereMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === "ENOENT") return undefined;
  throw usageError(`${fileName} cannot be read (${error.code}).`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The reason would quote the text, and a key may stand in it.
    throw usageError(`${fileName} is no JSON.`);
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
    isWhole &&= Boolean(env[name]);
    return env[name] ?? "";
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
