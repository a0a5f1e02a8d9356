import { resolve } from "node:path";
import { isLoopback } from "../core/address.js";
import { findAgentMark } from "../core/agent-shell.js";
import { usageError } from "../core/cli-error.js";
import { type Flags, findFlag } from "../core/flags.js";
import { homeFiles, requireOwnHome, toMerkleHome } from "../core/merkle-home.js";
import { type ConfigFile, findProjectFile, readConfigFile } from "./config-file.js";
import type { Variables } from "./env-files.js";
import type { ForeignFile } from "./foreign-file.js";
import { type ConfigInputs, findValue, readSetting, type SettingSources } from "./setting.js";
import { defaultPort, type SettingValues, settings } from "./settings.js";

/**
 * The settings from flags, environment and files, together with values derived from them. Read and checked
 * once per call (CLI-5).
 */
export interface Config extends Omit<SettingValues, "home" | "token"> {
  /** Absolute path of the home folder. */
  readonly home: string;
  /** The broker's base address, without Merkle's own paths (SET-3). Default: `http://localhost:7423`. */
  readonly broker: BrokerAddress;
  /** The certificate and key files with which `up` serves https and wss. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /**
   * `NODE_EXTRA_CA_CERTS` and `NODE_USE_SYSTEM_CA`, which Node itself reads. If the broker uses https, they
   * are passed to child processes.
   */
  readonly nodeTrust: Readonly<Record<string, string>>;
  /**
   * A member's token, for machines without a membership, such as CI runners. Never shown. Null if a project's
   * file or an invite names the broker, because the token is not for that broker.
   */
  readonly token: string | null | undefined;
  /** Called when a reply comes from a broker of a different build. */
  readonly onOtherBuild?: (build: number) => void;
  /** A project file that names a broker but is not trusted. None of its settings are used. */
  readonly untrusted: ForeignFile | undefined;
  /**
   * The name of the variable that marks this shell as an agent's. In such a shell, no one can act as a
   * verified person (PERSON-11). Undefined in any other shell.
   */
  readonly agentShell: string | undefined;
  /** The config.json file. Features read their own keys from it when they need them. */
  readonly file: Pick<ConfigFile, "path" | "content">;
  /**
   * All environment variables. For commands that start the broker or open its database, these include the
   * variables in `.env.local` and `.env` (CLI-85).
   */
  readonly environment: NodeJS.ProcessEnv;
  /** The folder in which the command was started. */
  readonly cwd: string;
  /** Returns where a setting comes from: a flag, a variable, a file, or `default`. */
  readonly getSource: (setting: SettingSources) => string;
  /** Notices for the user about which variables in `.env` files are used, which are ignored, and why. */
  readonly notices: readonly string[];
}

/** The parts of the process's environment that are not settings. No other module reads `process.env`. */
interface Environment {
  /**
   * All environment variables, for reading settings, for child processes, and for code that needs several
   * related variables.
   */
  readonly variables: NodeJS.ProcessEnv;
  /** `PATH`: the folders to search for programs. */
  readonly path: string | undefined;
  /** `TERM=dumb`: the terminal does not support cursor movement. */
  readonly hasPlainTerminal: boolean;
  /**
   * `WATCH_REPORT_DEPENDENCIES`: set if `node --watch` started this process, whose IPC channel then belongs
   * to Node.
   */
  readonly wasStartedByNodeWatch: boolean;
  /**
   * `MERKLE_MODEL`, or else `ANTHROPIC_MODEL`: the model that the client of the MCP server uses. Default:
   * empty.
   */
  readonly model: string;
  /**
   * `CLAUDE_PROJECT_DIR`: the folder in which the client of the MCP server works. Default: the current
   * folder.
   */
  readonly projectFolder: string;
  /** `CLAUDE_CODE_SESSION_ID`: the conversation that started this process. Default: null. */
  readonly claudeSessionId: string | null;
}

export function readEnvironment(): Environment {
  const variables = process.env;
  return {
    variables,
    path: variables["PATH"],
    hasPlainTerminal: variables["TERM"] === "dumb",
    wasStartedByNodeWatch: variables["WATCH_REPORT_DEPENDENCIES"] !== undefined,
    model: variables["MERKLE_MODEL"] || variables["ANTHROPIC_MODEL"] || "",
    projectFolder: variables["CLAUDE_PROJECT_DIR"] || process.cwd(),
    claudeSessionId: variables["CLAUDE_CODE_SESSION_ID"] || null,
  };
}

export interface BrokerAddress {
  readonly base: string;
  readonly source: "--url" | "MERKLE_URL" | "MCP_URL" | ".merkle.json" | "config.json" | "default";
}

interface ConfigSources {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Whether to read `.env.local` and `.env` in the current folder. Default: false. */
  readonly envFiles?: boolean;
  /** The settings of features, whose variables `.env.local` and `.env` may also set. Default: none. */
  readonly featureSettings?: readonly SettingSources[];
}

/**
 * Reads and checks the settings. @throws CliError `usage` that names the flag, variable or file with the
 * invalid value
 */
export async function readConfig(given: ConfigSources): Promise<Config> {
  const { flags, cwd, envFiles = false } = given;
  // Read the home only from the environment: a project's file could otherwise name a home in which everything
  // is trusted.
  const home = toMerkleHome(given.env["MERKLE_HOME"] || undefined, cwd);
  await requireOwnHome(home);
  const user = readConfigFile(homeFiles.config(home));
  const { env, nameOf, notices } = await readVariables(given, home);
  const project = await findProject({ flags, env, cwd }, home);
  const trusted = project?.isTrusted ? project.file : undefined;
  const sources: ConfigInputs = { flags, env, nameOf, cwd, isForBroker: envFiles, project: trusted, user };
  const values = readValues(sources);
  const { ca, token, auth, insecureOpen, host, publicUrl } = values;
  if (auth === "open" && !insecureOpen) refuseOpenNetwork(host, publicUrl);
  const broker = findAddress(values, sources);
  return {
    ...values,
    home,
    broker,
    // A token from the environment is never sent to an address that a project's file names.
    token: broker.source === ".merkle.json" ? null : token,
    nodeTrust: ca === undefined && broker.base.startsWith("https:") ? readNodeTrust(env, cwd) : {},
    tls: toTls(values),
    untrusted: project?.isTrusted === false ? project.foreign : undefined,
    agentShell: findAgentMark(env),
    file: user,
    environment: env,
    cwd,
    getSource: (setting) => findValue(setting, sources)?.source ?? "default",
    notices,
  };
}

function readValues(sources: ConfigInputs): SettingValues {
  const values = Object.entries(settings).map(([name, setting]) => [
    name,
    readSetting<unknown>(setting, sources),
  ]);
  // `readSetting` returns the right type for each name, which TypeScript cannot infer here.
  return Object.fromEntries(values) as SettingValues;
}

async function readVariables(
  { env, cwd, envFiles = false, featureSettings = [] }: ConfigSources,
  home: string,
): Promise<Variables> {
  if (!envFiles) return { env, nameOf: (variable) => variable, notices: [] };
  // Loaded on demand, because only a few commands read `.env` files.
  const { readEnvFiles } = await import("./env-files.js");
  return readEnvFiles({ env, cwd, home, featureSettings });
}

/**
 * Finds the project's `.merkle.json` and whether the user trusts it. If a flag or variable names the broker,
 * the file is ignored, because its other settings are for the broker that the file names.
 */
async function findProject(
  { flags, env, cwd }: ConfigSources,
  home: string,
): Promise<{ file: ConfigFile; foreign: ForeignFile; isTrusted: boolean } | undefined> {
  if (findFlag(flags, "url") !== undefined || env["MERKLE_URL"] || env["MCP_URL"]) return undefined;
  const file = await findProjectFile(cwd);
  if (!file) return undefined;
  // Loaded on demand, because most folders have no project file.
  const { isTrusted, toForeignFile } = await import("./foreign-file.js");
  const foreign = toForeignFile(file);
  return foreign && { file, foreign, isTrusted: isTrusted(home, foreign) };
}

function findAddress({ url, port }: SettingValues, sources: ConfigInputs): BrokerAddress {
  if (url === undefined) return { base: `http://localhost:${port || defaultPort}`, source: "default" };
  const source = findValue(settings.url, sources)?.source;
  if (source === "--url" || source === "MERKLE_URL" || source === "MCP_URL") return { base: url, source };
  return { base: url, source: source === sources.project?.path ? ".merkle.json" : "config.json" };
}

function readNodeTrust(env: NodeJS.ProcessEnv, cwd: string): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: extra, NODE_USE_SYSTEM_CA: system } = env;
  return {
    ...(extra && { NODE_EXTRA_CA_CERTS: resolve(cwd, extra) }),
    ...(system && { NODE_USE_SYSTEM_CA: system }),
  };
}

function toTls({ tlsCert: cert, tlsKey: key }: SettingValues): Config["tls"] {
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert, key };
  const [given, missing] = cert === undefined ? ["key", "certificate"] : ["certificate", "key"];
  throw usageError(
    `TLS needs a certificate and its key, got a ${given} without a ${missing}. Set both --tls-cert and --tls-key, or neither.`,
  );
}

/** Refuses open mode on a network, where anyone who reaches the broker could join and read (AUTH-5). */
function refuseOpenNetwork(host: string, publicUrl: string | undefined): void {
  const isPublic = publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
  if (isLoopback(host) && !isPublic) return;
  const reach = isLoopback(host) ? `--public-url ${publicUrl}` : `--host ${host}`;
  throw usageError(
    `Refusing to start open to anyone on the network (${reach}); add --insecure-open to allow it.`,
    "leave out --auth open, so that only members can connect",
  );
}
