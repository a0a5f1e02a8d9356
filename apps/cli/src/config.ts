import { toBaseUrl } from "./base-url.js";
import { usageError } from "./cli-error.js";
import { type ConfigFile, findProjectFile, readConfigFile } from "./config-file.js";
import { type Flags, isSet, textOf } from "./flags.js";
import { homeFiles, toMerkleHome } from "./merkle-home.js";

/** What flags, environment and files say, read once and checked (CLI-5). */
export interface Config {
  /** `MERKLE_HOME`: an absolute folder; default `~/.merkle`. */
  readonly home: string;
  /** Where commands find the broker (SET-3), a base without a path of ours; default `http://localhost:7423`. */
  readonly broker: BrokerAddress;
  /** `--host`: what `up` listens on; default `127.0.0.1`. Anything beyond loopback needs `--insecure-open`. */
  readonly host: string;
  /** `--port`, `MERKLE_PORT`: default 7423; 0 takes any free port. */
  readonly port: number;
  /** `--public-url`, `MERKLE_PUBLIC_URL`: what agents are given where the broker's settings name nothing. */
  readonly publicUrl: string | undefined;
  /** `--insecure-open`: lets `up` listen where others can reach it; default false. */
  readonly insecureOpen: boolean;
  /** `MERKLE_ALLOWED_HOSTS`: further names that the broker answers to, separated by commas; default none. */
  readonly allowedHosts: readonly string[];
  /** `MERKLE_SESSION`: the session of commands that name none, by slug, id or title; default none. */
  readonly session: string | undefined;
  /** `MERKLE_TEAM`: in an agent's shell, the name of the team that it acts as; default none. */
  readonly team: string | undefined;
  /** `MERKLE_PEER`: in an agent's shell, the id of the held place that it acts in; default none. */
  readonly peer: string | undefined;
  /** `name` of config.json: what this machine's person is called; default: the name of the system's user. */
  readonly personName: string | undefined;
  /** `DATABASE_URL`: a PostgreSQL of the user's own; default: the embedded one. Never shown, it may hold a password. */
  readonly databaseUrl: string | undefined;
}

export interface BrokerAddress {
  readonly base: string;
  readonly source: "--url" | "MERKLE_URL" | "MCP_URL" | ".merkle.json" | "config.json" | "default";
}

export interface ConfigSources {
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export const defaultPort = 7423;

/** @throws CliError `usage`, naming the flag, variable or file that holds a bad value */
export async function readConfig({ flags, env, cwd }: ConfigSources): Promise<Config> {
  const home = toMerkleHome(env["MERKLE_HOME"] || undefined, cwd);
  const user = await readConfigFile(homeFiles.config(home));
  const port = readPort(flags, env);
  const host = readHost(flags);
  const insecureOpen = isSet(flags, "insecureOpen");
  refuseOpenNetwork(host, insecureOpen);
  return {
    home,
    broker: await findAddress({ flags, env, cwd }, user, port),
    host,
    port,
    publicUrl: readPublicUrl(flags, env),
    insecureOpen,
    allowedHosts: readAllowedHosts(env["MERKLE_ALLOWED_HOSTS"]),
    session: env["MERKLE_SESSION"]?.trim() || undefined,
    team: env["MERKLE_TEAM"]?.trim() || undefined,
    peer: env["MERKLE_PEER"]?.trim() || undefined,
    personName: user.name,
    databaseUrl: readDatabaseUrl(env["DATABASE_URL"]),
  };
}

async function findAddress(
  { flags, env, cwd }: ConfigSources,
  user: ConfigFile,
  port: number,
): Promise<BrokerAddress> {
  const given = (source: BrokerAddress["source"], address: string, where: string = source) => ({
    base: toBaseUrl(address, where),
    source,
  });
  const flag = textOf(flags, "url");
  if (flag !== undefined) return given("--url", flag);
  if (env["MERKLE_URL"]) return given("MERKLE_URL", env["MERKLE_URL"]);
  if (env["MCP_URL"]) return given("MCP_URL", env["MCP_URL"]);
  const project = await findProjectFile(cwd);
  if (project?.mcpUrl) return given(".merkle.json", project.mcpUrl, `mcp_url in ${project.path}`);
  if (user.mcpUrl) return given("config.json", user.mcpUrl, `mcp_url in ${user.path}`);
  return { base: `http://localhost:${port || defaultPort}`, source: "default" };
}

function readPort(flags: Flags, env: NodeJS.ProcessEnv): number {
  const flag = textOf(flags, "port");
  const [text, source] =
    flag === undefined ? [env["MERKLE_PORT"] || undefined, "MERKLE_PORT"] : [flag, "--port"];
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
    `--host must be an address of this machine, such as 127.0.0.1 or ::1, without a port, got ${JSON.stringify(text)}.`,
  );
}

/** Whoever reaches the broker may join and read (AUTH-5). */
function refuseOpenNetwork(host: string, insecureOpen: boolean): void {
  if (insecureOpen || host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host)) return;
  throw usageError(
    `Refusing to let anyone on the network in (--host ${host}); add --insecure-open if you mean it.`,
    "leave --host out to stay on this machine",
  );
}

function readPublicUrl(flags: Flags, env: NodeJS.ProcessEnv): string | undefined {
  const flag = textOf(flags, "publicUrl");
  const [text, source] =
    flag === undefined
      ? [env["MERKLE_PUBLIC_URL"] || undefined, "MERKLE_PUBLIC_URL"]
      : [flag, "--public-url"];
  // Checked, and then given out as it is: one that names an endpoint stays that endpoint.
  if (text !== undefined) toBaseUrl(text, source);
  return text;
}

function readAllowedHosts(text = ""): string[] {
  const hosts = text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  for (const host of hosts) {
    if (/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.test(host)) continue;
    throw usageError(
      `MERKLE_ALLOWED_HOSTS must be host names separated by commas, such as mesh.example.com, got ${JSON.stringify(host)}.`,
    );
  }
  return hosts;
}

/** The value is never repeated: it may hold a password. */
function readDatabaseUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol)) return text;
  throw usageError(
    "DATABASE_URL must be an address such as postgres://user:password@host:5432/database. Correct it, or unset it to use the embedded PostgreSQL.",
  );
}
