import { statSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { parseDatabaseUrl } from "../core/address.js";
import { readSettingsText } from "../core/read-settings-text.js";
import { oneLine } from "../text/one-line.js";
import { type ForeignFile, isTrusted } from "./foreign-file.js";

/** The variables for starting the broker. */
export interface Variables {
  /** The variables of the process, extended by `.env.local` and `.env` of the folder. */
  readonly env: NodeJS.ProcessEnv;
  /** Returns a variable's name for messages, including the file that it comes from. */
  nameOf(variable: string): string;
  /**
   * Notices about which variables of which file are used, which are ignored, and why. They never contain a
   * value.
   */
  readonly notices: readonly string[];
}

interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * The files in order of precedence. The first file that names a variable decides its value, even if that file
 * is not trusted.
 */
const fileNames = [".env.local", ".env"];

/**
 * Variables that a project may set without being trusted. They send no data anywhere and give no one access.
 */
const harmless = new Set([
  "MERKLE_PORT",
  "PORT",
  "MERKLE_AUTH",
  "AGENT_PROGRESS_LOG_LEVEL",
  "AGENT_PROGRESS_DB_PATH",
]);

/** The effects of the other variables, as shown to the person who decides about trust. */
const meanings: Readonly<Record<string, (value: string) => string>> = {
  DATABASE_URL: (value) => `the broker stores everything in the database at ${withoutPassword(value)}`,
  DATABASE_READ_URL: (value) => `the broker also reads from the database at ${withoutPassword(value)}`,
  MERKLE_PUBLIC_URL: (value) => `agents use the address ${value}`,
  MCP_URL: (value) => `agents use the address ${value}`,
  MERKLE_ALLOWED_HOSTS: (value) => `the broker answers to ${value}`,
  MERKLE_TRUSTED_PROXIES: (value) => `the broker trusts ${value} to name the client's address`,
  MERKLE_TLS_CERT: (value) => `the broker uses the certificate in ${value}`,
  MERKLE_TLS_KEY: (value) => `the certificate's key is in ${value}`,
  MERKLE_BUS: (value) =>
    `brokers on one database notify each other by ${value.includes("://") ? withoutPassword(value) : value}`,
  MERKLE_AUDIT_KEY_FILE: (value) => `the record is signed with the key in ${value}`,
  MERKLE_TRACES_URL: (value) => `the duration of each call is sent to ${withoutPassword(value)}`,
  OPENAI_API_KEY: () => "progress entries are sent to a model for summaries, with a key from this file",
  OPENAI_BASE_URL: (value) => `the text of progress entries, and the key if set, are sent to ${value}`,
  AGENT_PROGRESS_MODEL: (value) => `summaries are made by the model ${JSON.stringify(value)}`,
};

/** All variables that the broker accepts from such a file. */
export const variablesOfFiles: readonly string[] = [...harmless, ...Object.keys(meanings)];

/** The key and the address must come from the same source. A source that sets one of them decides both. */
const keyAndAddress = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];

/**
 * Returns the variable that a name in a file sets. In the environment, MCP_URL is the broker that clients
 * call. In the broker's own folder, it is the address for agents.
 */
function meantBy(name: string): string {
  return name === "MCP_URL" ? "MERKLE_PUBLIC_URL" : name;
}

/**
 * Variables that every command needs, so they must be in the environment. Most commands do not read these
 * files.
 */
const ofTheEnvironment = new Set([
  ...["MERKLE_HOME", "MERKLE_URL", "MERKLE_MESH", "MERKLE_TOKEN", "MERKLE_CA", "MERKLE_INSECURE"],
  ...["MERKLE_SESSION", "MERKLE_TEAM", "MERKLE_PEER"],
]);

/**
 * Reads the variables that `.env.local` and `.env` of a folder add to the environment (CLI-85). The project's
 * author may have written these files, so variables that control where data, keys or agents go apply only
 * once the file is trusted.
 *
 * @throws CliError `usage` that names the file, if it is unreadable or its DATABASE_URL is invalid
 */
export function readEnvFiles({ env, cwd, home }: Sources & { readonly home: string }): Variables {
  const added: Record<string, string> = {};
  const places = new Map<string, string>();
  const decided = new Set(withPartner(Object.keys(env)));
  const notices: string[] = [];
  for (const file of findEnvFiles(cwd)) {
    const named = Object.entries(file.values).filter(
      ([name]) => !decided.has(meantBy(name)) && !(name !== meantBy(name) && meantBy(name) in file.values),
    );
    const isUsable = file.foreign === undefined || isTrusted(home, file.foreign);
    const used: string[] = [];
    const untrusted: string[] = [];
    const elsewhere: string[] = [];
    for (const [name, value] of named) {
      if (name === "DATABASE_URL") parseDatabaseUrl(value, `${name} in ${file.path}`);
      if (ofTheEnvironment.has(name)) elsewhere.push(name);
      else if (harmless.has(name) || (Object.hasOwn(meanings, name) && (isUsable || value === ""))) {
        added[meantBy(name)] = value;
        places.set(meantBy(name), `${name} in ${file.path}`);
        used.push(name);
      } else if (Object.hasOwn(meanings, name)) untrusted.push(name);
    }
    for (const name of withPartner(named.map(([each]) => meantBy(each)))) decided.add(name);
    notices.push(...describe(file.path, { used, untrusted, elsewhere }));
  }
  return {
    env: { ...env, ...added },
    nameOf: (variable) => places.get(variable) ?? variable,
    notices,
  };
}

/** Returns the files of a folder that need a decision about trust (CLI-82). */
export function findForeignEnvFiles(cwd: string): ForeignFile[] {
  return findEnvFiles(cwd).flatMap(({ foreign }) => foreign ?? []);
}

function withPartner(names: readonly string[]): readonly string[] {
  return names.some((each) => keyAndAddress.includes(each)) ? [...names, ...keyAndAddress] : names;
}

function describe(
  path: string,
  names: Readonly<Record<"used" | "untrusted" | "elsewhere", readonly string[]>>,
): string[] {
  const { used, untrusted, elsewhere } = names;
  return [
    ...(used.length > 0 ? [`${path} is read: ${used.join(", ")}`] : []),
    ...(untrusted.length > 0
      ? [`${path} is not read for ${untrusted.join(", ")} because you have not trusted it: merkle trust`]
      : []),
    ...(elsewhere.length > 0
      ? [
          `${path} is not read for ${elsewhere.join(", ")}: set it in the environment, which every command reads`,
        ]
      : []),
  ];
}

interface EnvFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  /** Undefined if the file sets only harmless variables. */
  readonly foreign: ForeignFile | undefined;
}

function findEnvFiles(cwd: string): EnvFile[] {
  const files: EnvFile[] = [];
  for (const name of fileNames) {
    const path = join(cwd, name);
    const text = readTextIfFile(path);
    if (text === undefined) continue;
    // Every present value is a string, although the type also allows undefined.
    const values = parseEnv(text) as Record<string, string>;
    files.push({ path, values, foreign: toForeign({ path, cwd, text, values }) });
  }
  return files;
}

function toForeign({
  path,
  cwd,
  text,
  values,
}: {
  readonly path: string;
  readonly cwd: string;
  readonly text: string;
  readonly values: Readonly<Record<string, string>>;
}): ForeignFile | undefined {
  const says = Object.entries(meanings).flatMap(([name, means]) => {
    const value = values[name];
    return value ? [means(oneLine(value))] : [];
  });
  if (says.length === 0) return undefined;
  const named = [values["MERKLE_TLS_CERT"], values["MERKLE_TLS_KEY"]];
  return {
    path,
    says,
    content: [text, ...named.map((each) => (each ? (readSettingsText(join(cwd, each)) ?? null) : null))],
  };
}

/**
 * Reads a regular file. Ignores a folder of that name, such as a Python virtual environment, and a device.
 */
function readTextIfFile(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readSettingsText(path) : undefined;
}

function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return "an address that is not a URL";
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`;
}
