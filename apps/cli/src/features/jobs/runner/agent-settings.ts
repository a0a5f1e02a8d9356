import { dirname, isAbsolute, resolve } from "node:path";
import { rootNamePattern } from "@merkle/wire";
import { usageError } from "../../../core/cli-error.js";
import { isObject } from "../../../core/is-object.js";
import { type GivenValue, invalidValue, parseSwitch, parseText } from "../../../settings/setting.js";
import { type AgentSettingKey, agentKeys } from "./agent-keys.js";

/** The `agent` block of config.json, for jobs that run on this machine (JOB-13). */
export interface AgentSettings {
  /**
   * `author_name` and `author_email`: the author of the commits for accepted proposals on files. Without an
   * author, proposals cannot be committed.
   */
  readonly author: { readonly name: string; readonly email: string } | undefined;
  /**
   * `roots`: folders with one Git repository each, by name. Jobs may work on the files in these folders.
   * Default: none.
   */
  readonly roots: Readonly<Record<string, string>>;
  /** `claude_bin`: a path, or a name to find on PATH. Default: `claude`. */
  readonly claudeBin: string;
  /** `agent_bin`: the program that agents use to write, as an absolute path. Default: this merkle. */
  readonly agentBin: string | undefined;
  /**
   * `max_concurrent_jobs`: maximum number of concurrent jobs on the broker's machine. With 0, all jobs wait
   * for a `merkle runner`. Default: 1.
   */
  readonly maxConcurrentJobs: number;
  /**
   * `conclude_timeout`, `incorporate_timeout`, `perspective_timeout`: maximum durations of jobs, such as 5m
   * or 1m30s. Defaults: 5m, 5m and 3m.
   */
  readonly timeoutsMs: {
    readonly conclude: number;
    readonly incorporate: number;
    readonly perspective: number;
  };
  /** `log_dir`: folder for the log files of jobs; "" disables logs. Default: `logs/jobs` in the home. */
  readonly logDir: string | undefined;
  /** `skip_permissions`: allows agents to use every tool without asking for permission. Default: false. */
  readonly skipPermissions: boolean;
  /** `remote_runners`: allows other members' machines to run this broker's jobs. Default: false. */
  readonly remoteRunners: boolean;
  /** `environment`: names of further environment variables to pass to agents. Default: none. */
  readonly environment: readonly string[];
}

/** Parses the `agent` block of config.json. @throws CliError `usage`, naming the key and the file */
export function readAgentSettings(value: unknown, path: string): AgentSettings {
  const block = toBlock(value ?? {}, path);
  const locate = (key: AgentSettingKey) => ({ value: block[key], name: `agent.${key} in ${path}` });
  const readTimeSpan = (key: AgentSettingKey, defaultText: string) => {
    const { value: text = defaultText, name } = locate(key);
    return toMilliseconds(text, name);
  };
  return {
    author: readAuthor(locate("author_name"), locate("author_email")),
    roots: readRoots(locate("roots")),
    claudeBin: readText(locate("claude_bin")) || "claude",
    agentBin: resolveFromFile(path, readText(locate("agent_bin"))),
    maxConcurrentJobs: readCount(locate("max_concurrent_jobs")),
    timeoutsMs: {
      conclude: readTimeSpan("conclude_timeout", "5m"),
      incorporate: readTimeSpan("incorporate_timeout", "5m"),
      perspective: readTimeSpan("perspective_timeout", "3m"),
    },
    logDir: readLogFolder(locate("log_dir"), path),
    skipPermissions: readSwitch(locate("skip_permissions")),
    remoteRunners: readSwitch(locate("remote_runners")),
    environment: readNames(locate("environment")),
  };
}

function readText(given: GivenValue): string | undefined {
  return given.value === undefined ? undefined : parseText(given);
}

function readSwitch(given: GivenValue): boolean {
  return given.value === undefined ? false : parseSwitch(given);
}

function toBlock(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (!isObject(value)) {
    throw usageError(`agent in ${path} must be an object, got ${JSON.stringify(value)}.`);
  }
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(agentKeys, key));
  if (unknown === undefined) return { ...value };
  throw usageError(
    `agent in ${path} must not contain ${JSON.stringify(unknown)}. Its settings are ${Object.keys(agentKeys).join(", ")}.`,
  );
}

/** Returns the author of commits. A name without an address is an error, and so is the reverse. */
function readAuthor(name: GivenValue, email: GivenValue): AgentSettings["author"] {
  const [nameText, emailText] = [readLine(name), readLine(email)];
  if (nameText === undefined && emailText === undefined) return undefined;
  if (nameText && emailText) return { name: nameText, email: emailText };
  const missing = nameText ? email : name;
  throw usageError(`${missing.name} is missing: commits need both a name and an address.`);
}

/** Reads an author's name or address: one line without < and >, as Git requires. */
function readLine(given: GivenValue): string | undefined {
  const text = readText(given)?.trim();
  if (text === undefined || !/[<>\p{Cc}]/u.test(text)) return text;
  throw invalidValue(given, "one line without < and >");
}

/**
 * Parses the roots. They must be absolute paths, because a broker can be started in any folder. Whether a
 * root is usable is checked on use.
 */
function readRoots(given: GivenValue): Readonly<Record<string, string>> {
  const { value = {} } = given;
  const isRoot = (root: [string, unknown]): root is [string, string] => {
    const [name, folder] = root;
    return rootNamePattern.test(name) && typeof folder === "string" && isAbsolute(folder);
  };
  const roots = isObject(value) ? Object.entries(value) : null;
  if (roots?.every(isRoot)) return Object.fromEntries(roots);
  throw invalidValue(
    given,
    'names of letters, digits, ".", "_" and "-" with absolute folders, such as {"docs": "/srv/docs"}',
  );
}

function readCount(given: GivenValue): number {
  const { value = 1 } = given;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 100) return value;
  throw invalidValue(given, "a whole number from 0 to 100");
}

function readNames(given: GivenValue): readonly string[] {
  const { value = [] } = given;
  const isName = (each: unknown) => typeof each === "string" && /^[A-Za-z_]\w*$/.test(each);
  if (Array.isArray(value) && value.every(isName)) return value;
  throw invalidValue(given, "a list of names of variables");
}

function readLogFolder(given: GivenValue, path: string): string | undefined {
  const text = readText(given);
  if (text === "") return undefined;
  return resolveFromFile(path, text ?? "logs/jobs");
}

function resolveFromFile(path: string, text: string | undefined): string | undefined {
  return text ? resolve(dirname(path), text) : undefined;
}

function toMilliseconds(value: unknown, name: string): number {
  const parts =
    typeof value === "string" ? /^(?:(\d{1,3})h)?(?:(\d{1,4})m)?(?:(\d{1,6})s)?$/.exec(value) : null;
  const [hours = 0, minutes = 0, seconds = 0] = (parts?.slice(1) ?? []).map((part) => Number(part ?? 0));
  const span = 1_000 * (3_600 * hours + 60 * minutes + seconds);
  if (span > 0 && span <= spanMsMax) return span;
  throw invalidValue({ value, name }, "a time span up to 24h, such as 5m or 1m30s");
}

const spanMsMax = 24 * 60 * 60 * 1_000;
