import { isIP } from "node:net";
import { resolve } from "node:path";
import type { RateLimits } from "@merkle/wire/limits";
import { isLoopback, parseBus, parseDatabaseUrl, toBaseUrl } from "../core/address.js";
import { findAgentMark } from "../core/agent-shell.js";
import { usageError } from "../core/cli-error.js";
import { type Flags, isSet, listOf, splitList, textOf } from "../core/flags.js";
import { homeFiles, requireOwnHome, toMerkleHome } from "../core/merkle-home.js";
import { type ConfigFile, findProjectFile, readConfigFile } from "./config-file.js";
import { type SettingSources, sourceOf } from "./config-sources.js";
import type { Variables } from "./env-files.js";
import type { ForeignFile } from "./foreign-file.js";

/** The settings from flags, environment and files, read and checked once (CLI-5). */
export interface Config {
  /** `MERKLE_HOME`: absolute path of the home folder. Default: `~/.merkle`. */
  readonly home: string;
  /** The broker's base address, without Merkle's own paths (SET-3). Default: `http://localhost:7423`. */
  readonly broker: BrokerAddress;
  /** `--host`: the address that `up` listens on. Default: `127.0.0.1`. */
  readonly host: string;
  /**
   * `--port`, `MERKLE_PORT`, or `PORT` for commands that start a broker. 0 selects a free port. Default:
   * 7423.
   */
  readonly port: number;
  /** `--public-url`, `MERKLE_PUBLIC_URL`: the address that agents use if the broker's settings have none. */
  readonly publicUrl: string | undefined;
  /**
   * `--tls-cert` and `--tls-key`, `MERKLE_TLS_CERT` and `MERKLE_TLS_KEY`: files with which `up` serves https
   * and wss. Default: none.
   */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /**
   * `--trusted-proxy`, `MERKLE_TRUSTED_PROXIES`: addresses and ranges of proxies that `up` trusts. Default:
   * none.
   */
  readonly trustedProxies: readonly string[];
  /** `rate_limits` in config.json: "off", or the rate limits that differ from the defaults (GUARD-6). */
  readonly rateLimits: Partial<RateLimits> | "off" | undefined;
  /**
   * `--insecure`, `MERKLE_INSECURE`: allows unencrypted calls to another machine (TLS-15). Default: false.
   */
  readonly insecure: boolean;
  /** `--ca`, `MERKLE_CA`: a file of certificate authorities that replaces the system's. Default: none. */
  readonly ca: string | undefined;
  /**
   * `NODE_EXTRA_CA_CERTS` and `NODE_USE_SYSTEM_CA`, which Node itself reads. They are passed to child
   * processes if the broker uses https.
   */
  readonly nodeTrust: Readonly<Record<string, string>>;
  /** `--mesh`, `MERKLE_MESH`: name or id of the mesh. Default: `main`, or the only mesh joined. */
  readonly mesh: string | undefined;
  /**
   * `MERKLE_TOKEN`: a member's token, for machines without a membership, such as CI. Never shown. Null if a
   * project's file or an invite names the broker, because the token is not meant for that broker.
   */
  readonly token: string | null | undefined;
  /** Called when a reply comes from a broker of a different build. */
  readonly onOtherBuild?: (build: number) => void;
  /** An untrusted project file that names a broker. None of its settings are used. */
  readonly untrusted: ForeignFile | undefined;
  /**
   * `--auth`, `MERKLE_AUTH`: who may connect to the broker. Default: `open` on loopback, otherwise `invite`
   * (AUTH-5).
   */
  readonly auth: "open" | "invite" | undefined;
  /** `--new-admin-invite`: `up` creates an admin invite even if an admin exists. Default: false. */
  readonly newAdminInvite: boolean;
  /**
   * `--new-audit-key`: `up` creates a new audit key if the home does not have the database's. Default: false.
   */
  readonly newAuditKey: boolean;
  /** `--insecure-open`: allows anyone to connect, even from other machines. Default: false. */
  readonly insecureOpen: boolean;
  /** `MERKLE_ALLOWED_HOSTS`: additional host names of the broker, comma-separated. Default: none. */
  readonly allowedHosts: readonly string[];
  /** `MERKLE_SESSION`: slug, id or title of the default session. Default: none. */
  readonly session: string | undefined;
  /** `MERKLE_TEAM`: in an agent's shell, the name of its team. Default: none. */
  readonly team: string | undefined;
  /** `MERKLE_PEER`: in an agent's shell, the id of its stored peer. Default: none. */
  readonly peer: string | undefined;
  /**
   * The variable that marks an agent's shell, in which no one can act as a verified person (PERSON-11).
   * Default: none.
   */
  readonly agentShell: string | undefined;
  /**
   * `report_usage` in config.json: whether an agent's server reports token usage (USAGE-2). Default: true.
   */
  readonly reportUsage: boolean;
  /** `name` in config.json: the name of this machine's person. Default: the system user's name. */
  readonly personName: string | undefined;
  /**
   * `approvers` in config.json: the devices that can answer permission prompts of this home's agents
   * (APPROVE-3). Default: none.
   */
  readonly approvers: readonly string[];
  /** config.json. Features read their own keys from it, each only when it needs them. */
  readonly file: Pick<ConfigFile, "path" | "content">;
  /**
   * `DATABASE_URL`: the user's own PostgreSQL. Default: the embedded one. Never shown, because it may contain
   * a password.
   */
  readonly databaseUrl: string | undefined;
  /**
   * `DATABASE_READ_URL`: a streaming replica for reading history and searching (SCALE-4). Default: none.
   * Never shown.
   */
  readonly databaseReadUrl: string | undefined;
  /**
   * `MERKLE_BUS`: how brokers on one database notify each other (NODE-1): `local`, `postgres` or
   * `nats://host:4222`. Default: `local`. Never shown, because it may contain a password.
   */
  readonly bus: string | undefined;
  /**
   * `MERKLE_TRACES_URL`: where the broker sends OpenTelemetry traces, by OTLP over HTTP (TRACE-1), such as
   * `http://localhost:4318/v1/traces`. Default: none.
   */
  readonly tracesUrl: string | undefined;
  /**
   * `MERKLE_AUDIT_KEY_FILE`: the file with the audit key that nodes share (NODE-5). Default: audit-key.json
   * in the home.
   */
  readonly auditKeyFile: string | undefined;
  /**
   * All environment variables. For commands that start the broker or open its database, includes those from
   * `.env.local` and `.env` (CLI-85).
   */
  readonly environment: NodeJS.ProcessEnv;
  /** The current folder at the start of the command. */
  readonly cwd: string;
  /** Returns the source of a setting: a flag, a variable, a file, or `default`. */
  readonly sourceOf: (setting: SettingSources) => string;
  /** Notices for the user about variables in `.env` files: which are used, which are ignored, and why. */
  readonly notices: readonly string[];
}

/**
 * The parts of the process's environment that `readConfig` does not cover. No other module reads
 * `process.env`.
 */
interface Environment {
  /** All variables: for settings, child processes, and code that needs several related variables. */
  readonly variables: NodeJS.ProcessEnv;
  /** `PATH`: the folders with programs. */
  readonly path: string | undefined;
  /** `TERM=dumb`: the terminal does not support cursor movement. */
  readonly hasPlainTerminal: boolean;
  /** `WATCH_REPORT_DEPENDENCIES`: `node --watch` started this process and uses its IPC channel. */
  readonly startedByNodeWatch: boolean;
  /**
   * `MERKLE_MODEL`, or else `ANTHROPIC_MODEL`: the model that the MCP server's client uses. Default: empty.
   */
  readonly model: string;
  /** `CLAUDE_PROJECT_DIR`: the folder that the MCP server's client works in. Default: the current folder. */
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
    startedByNodeWatch: variables["WATCH_REPORT_DEPENDENCIES"] !== undefined,
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
}

const defaultPort = 7423;

/**
 * Reads and checks the settings. @throws CliError `usage` that names the flag, variable or file with the
 * invalid value
 */
export async function readConfig(given: ConfigSources): Promise<Config> {
  const { flags, cwd } = given;
  // Read only from the environment, because a project's file could name a home that trusts everything.
  const home = toMerkleHome(given.env["MERKLE_HOME"] || undefined, cwd);
  await requireOwnHome(home);
  const user = readConfigFile(homeFiles.config(home));
  const variables = await readVariables(given, home);
  const { env, nameOf } = variables;
  const port = readPort(given, variables);
  const host = readHost(flags);
  const auth = readAuth(flags, variables);
  const insecureOpen = isSet(flags, "insecureOpen");
  const publicUrl = readPublicUrl(flags, variables);
  if (auth === "open" && !insecureOpen) refuseOpenNetwork(host, publicUrl);
  const sources = { flags, env, cwd };
  const project = await findProject(sources, home);
  const said = project?.isTrusted ? project.file : undefined;
  const broker = findAddress(sources, said, user, port);
  return {
    home,
    broker,
    ...readReach(sources, said, user, broker),
    untrusted: project?.isTrusted === false ? project.foreign : undefined,
    host,
    port,
    tls: readTls(sources, user),
    trustedProxies: readTrustedProxies(flags, variables, user),
    rateLimits: user.rateLimits,
    publicUrl,
    auth,
    newAdminInvite: isSet(flags, "newAdminInvite"),
    newAuditKey: isSet(flags, "newAuditKey"),
    insecureOpen,
    allowedHosts: readAllowedHosts(variables),
    session: env["MERKLE_SESSION"]?.trim() || undefined,
    team: env["MERKLE_TEAM"]?.trim() || undefined,
    peer: env["MERKLE_PEER"]?.trim() || undefined,
    agentShell: findAgentMark(env),
    reportUsage: user.reportUsage ?? true,
    personName: user.name,
    approvers: user.approvers ?? [],
    file: user,
    databaseUrl: parseDatabaseUrl(env["DATABASE_URL"], nameOf("DATABASE_URL")),
    databaseReadUrl: parseDatabaseUrl(env["DATABASE_READ_URL"], nameOf("DATABASE_READ_URL")),
    auditKeyFile: env["MERKLE_AUDIT_KEY_FILE"] ? resolve(cwd, env["MERKLE_AUDIT_KEY_FILE"]) : undefined,
    bus: parseBus(env["MERKLE_BUS"], nameOf("MERKLE_BUS")),
    tracesUrl: env["MERKLE_TRACES_URL"]?.trim() || undefined,
    environment: env,
    cwd,
    sourceOf: (setting) => sourceOf(setting, { flags, variables, project: said, user }),
    notices: variables.notices,
  };
}

async function readVariables(
  { env, cwd, envFiles = false }: ConfigSources,
  home: string,
): Promise<Variables> {
  if (!envFiles) return { env, nameOf: (variable) => variable, notices: [] };
  // Loaded on demand, because only a few commands read these files.
  const { readEnvFiles } = await import("./env-files.js");
  return readEnvFiles({ env, cwd, home });
}

/**
 * Finds the project's `.merkle.json` and whether the user trusts it. Ignores the file if a flag or variable
 * names the broker, because its other settings are meant for the broker that the file itself names.
 */
async function findProject(
  { flags, env, cwd }: ConfigSources,
  home: string,
): Promise<{ file: ConfigFile; foreign: ForeignFile; isTrusted: boolean } | undefined> {
  if (textOf(flags, "url") !== undefined || env["MERKLE_URL"] || env["MCP_URL"]) return undefined;
  const file = await findProjectFile(cwd);
  if (!file) return undefined;
  // Loaded on demand, because most folders have no such file.
  const { isTrusted, toForeignFile } = await import("./foreign-file.js");
  const foreign = toForeignFile(file);
  return foreign && { file, foreign, isTrusted: isTrusted(home, foreign) };
}

function findAddress(
  { flags, env }: ConfigSources,
  project: ConfigFile | undefined,
  user: ConfigFile,
  port: number,
): BrokerAddress {
  const given = (source: BrokerAddress["source"], address: string, where: string = source) => ({
    base: toBaseUrl(address, where),
    source,
  });
  const flag = textOf(flags, "url");
  if (flag !== undefined) return given("--url", flag);
  if (env["MERKLE_URL"]) return given("MERKLE_URL", env["MERKLE_URL"]);
  if (env["MCP_URL"]) return given("MCP_URL", env["MCP_URL"]);
  if (project?.mcpUrl) return given(".merkle.json", project.mcpUrl, `mcp_url in ${project.path}`);
  if (user.mcpUrl) return given("config.json", user.mcpUrl, `mcp_url in ${user.path}`);
  return { base: `http://localhost:${port || defaultPort}`, source: "default" };
}

/**
 * Reads how to call the broker. Flags take precedence over the environment, then the project's file, then
 * config.json.
 */
function readReach(
  { flags, env, cwd }: ConfigSources,
  project: ConfigFile | undefined,
  user: ConfigFile,
  { base, source }: BrokerAddress,
): Pick<Config, "insecure" | "ca" | "nodeTrust" | "mesh" | "token"> {
  const given = textOf(flags, "ca") ?? (env["MERKLE_CA"] || undefined);
  const ca = given === undefined ? (project?.ca ?? user.ca) : resolve(cwd, given);
  const insecure = isSet(flags, "insecure") || readSwitch("MERKLE_INSECURE", env["MERKLE_INSECURE"]);
  const token = readToken(env["MERKLE_TOKEN"]);
  return {
    mesh: (textOf(flags, "mesh") ?? (env["MERKLE_MESH"] || project?.mesh || user.mesh))?.trim(),
    // A token from the environment must not be sent to an address from a project's file.
    token: source === ".merkle.json" ? null : token,
    ca,
    nodeTrust: ca === undefined && base.startsWith("https:") ? readNodeTrust(env, cwd) : {},
    insecure: insecure ?? project?.insecure ?? user.insecure ?? false,
  };
}

function readNodeTrust(env: NodeJS.ProcessEnv, cwd: string): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: extra, NODE_USE_SYSTEM_CA: system } = env;
  return {
    ...(extra && { NODE_EXTRA_CA_CERTS: resolve(cwd, extra) }),
    ...(system && { NODE_USE_SYSTEM_CA: system }),
  };
}

function readSwitch(source: string, text: string | undefined): boolean | undefined {
  if (!text) return undefined;
  if (text === "1" || text === "true") return true;
  if (text === "0" || text === "false") return false;
  throw usageError(`${source} must be 1 or 0, got ${JSON.stringify(text)}.`);
}

function readTls({ flags, env, cwd }: ConfigSources, user: ConfigFile): Config["tls"] {
  const cert = textOf(flags, "tlsCert") ?? (env["MERKLE_TLS_CERT"] || user.tlsCert);
  const key = textOf(flags, "tlsKey") ?? (env["MERKLE_TLS_KEY"] || user.tlsKey);
  if (cert === undefined && key === undefined) return undefined;
  if (cert !== undefined && key !== undefined) return { cert: resolve(cwd, cert), key: resolve(cwd, key) };
  const [given, missing] = cert === undefined ? ["key", "certificate"] : ["certificate", "key"];
  throw usageError(
    `TLS needs a certificate and its key, got a ${given} without a ${missing}. Set both --tls-cert and --tls-key, or neither.`,
  );
}

function readTrustedProxies(flags: Flags, { env, nameOf }: Variables, user: ConfigFile): readonly string[] {
  const flag = listOf(flags, "trustedProxy");
  if (flag.length > 0) return checkRanges(flag, "--trusted-proxy");
  const text = env["MERKLE_TRUSTED_PROXIES"];
  if (text) return checkRanges(splitList([text]), nameOf("MERKLE_TRUSTED_PROXIES"));
  return checkRanges(user.trustedProxies ?? [], `trusted_proxies in ${user.path}`);
}

/** Checks the syntax of addresses and ranges. @throws CliError `usage` that names the invalid range */
export function checkRanges(ranges: readonly string[], source: string): readonly string[] {
  for (const range of ranges) {
    const [address = "", bits = "0", ...more] = range.split("/");
    const bitsMax = isIP(address) === 6 ? 128 : 32;
    const isRange = isIP(address) > 0 && !address.includes("%") && more.length === 0;
    if (isRange && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax) continue;
    throw usageError(
      `${source} must be addresses or ranges such as 127.0.0.1 or 10.0.0.0/8, got ${JSON.stringify(range)}.`,
    );
  }
  return ranges;
}

/**
 * Reads the port. `PORT` applies only to commands that start a broker. For other commands it may be another
 * program's port.
 */
function readPort({ flags, envFiles = false }: ConfigSources, { env, nameOf }: Variables): number {
  const flag = textOf(flags, "port");
  const variable = envFiles && !env["MERKLE_PORT"] ? "PORT" : "MERKLE_PORT";
  const [text, source] =
    flag === undefined ? [env[variable] || undefined, nameOf(variable)] : [flag, "--port"];
  if (text === undefined) return defaultPort;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw usageError(`${source} must be a whole number from 0 to 65535, got ${JSON.stringify(text)}.`);
}

function readHost(flags: Flags): string {
  const text = textOf(flags, "host") ?? "127.0.0.1";
  const host = text.replace(/^\[(.*)\]$/, "$1");
  if (/^[a-z0-9._-]+$/i.test(host) || /^[0-9a-f:.]+(?:%\w+)?$/i.test(host)) return host;
  throw usageError(
    `--host must be an address of this machine without a port, such as 127.0.0.1 or ::1, got ${JSON.stringify(text)}.`,
  );
}

/** Refuses open mode on a network. Anyone who reaches the broker could join and read (AUTH-5). */
function refuseOpenNetwork(host: string, publicUrl: string | undefined): void {
  const isPublic = publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname);
  if (isLoopback(host) && !isPublic) return;
  const reach = isLoopback(host) ? `--public-url ${publicUrl}` : `--host ${host}`;
  throw usageError(
    `Refusing to start open to anyone on the network (${reach}); add --insecure-open to allow it.`,
    "leave out --auth open, so that only members can connect",
  );
}

function readAuth(flags: Flags, { env, nameOf }: Variables): "open" | "invite" | undefined {
  const flag = textOf(flags, "auth");
  const [text, source] =
    flag === undefined ? [env["MERKLE_AUTH"] || undefined, nameOf("MERKLE_AUTH")] : [flag, "--auth"];
  if (text === undefined || text === "open" || text === "invite") return text;
  throw usageError(
    `${source} must be open (anyone can connect) or invite (only members can connect), got ${JSON.stringify(text)}.`,
  );
}

function readPublicUrl(flags: Flags, { env, nameOf }: Variables): string | undefined {
  const flag = textOf(flags, "publicUrl");
  const [text, source] =
    flag === undefined
      ? [env["MERKLE_PUBLIC_URL"] || undefined, nameOf("MERKLE_PUBLIC_URL")]
      : [flag, "--public-url"];
  // Only checked: an address of an endpoint is passed on unchanged.
  if (text !== undefined) toBaseUrl(text, source);
  return text;
}

function readAllowedHosts({ env, nameOf }: Variables): string[] {
  const hosts = splitList([env["MERKLE_ALLOWED_HOSTS"] ?? ""]);
  for (const host of hosts) {
    if (/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.test(host)) continue;
    throw usageError(
      `${nameOf("MERKLE_ALLOWED_HOSTS")} must be host names separated by commas, such as mesh.example.com, got ${JSON.stringify(host)}.`,
    );
  }
  return hosts;
}

/** Reads and checks the token. The error never repeats the value. */
function readToken(text: string | undefined): string | undefined {
  const token = text?.trim();
  if (!token) return undefined;
  if (/^mk[to]_[A-Za-z0-9_-]{43}$/.test(token)) return token;
  throw usageError("MERKLE_TOKEN must be a member token from merkle token create: mkt_ and 43 characters.");
}
