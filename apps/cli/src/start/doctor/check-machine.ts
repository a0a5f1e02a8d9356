import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { type ClientAbilities, getClientAbilities, listMissingAbilities } from "@merkle/wire/text";
import type { Client } from "../../clients/client.js";
import { clients } from "../../clients/clients.js";
import { findProgram, findVersionNumber, isAtLeast } from "../../clients/find-program.js";
import { loadBroker } from "../../core/broker-code.js";
import { CliError } from "../../core/cli-error.js";
import { explainError } from "../../core/explain-error.js";
import { homeFiles } from "../../core/merkle-home.js";
import { isPosix } from "../../core/platform.js";
import type { Config } from "../../settings/config.js";
import { type DoctorCheck, type DoctorFinding, fail, ok, skip, warn } from "./check.js";

export const checkNode: DoctorCheck = async ({ config: { nodeTrust } }) => [
  describeNode(process.versions.node, nodeTrust),
];

/** Before Node 22, every start reads all authorities if there are additional ones, which takes about 30 ms. */
export function describeNode(version: string, trust: Config["nodeTrust"]): DoctorFinding {
  const isSlow = trust["NODE_EXTRA_CA_CERTS"] !== undefined && Number.parseInt(version, 10) < 22;
  if (!isSlow) return ok("node", `Node ${version}`);
  return warn(
    "node",
    `Node ${version}, which starts slowly with NODE_EXTRA_CA_CERTS`,
    "install Node 22 or later from https://nodejs.org, or use --ca",
  );
}

/**
 * Checks which agents' clients are installed, and how each can be woken. A client that the user named must be
 * installed.
 */
export const checkClients: DoctorCheck = async ({ client: wanted, config }) =>
  (await Promise.all(clients.map((each) => checkClient(each, wanted, config)))).flat();

async function checkClient(
  client: Client,
  wanted: Client | undefined,
  { environment: env, cwd }: Config,
): Promise<DoctorFinding[]> {
  const { name, installAdvice, updateAdvice, label } = client;
  try {
    const { path, version } = await findProgram(client, { env, cwd });
    const { paths, advice } = client.getWakeAbility(version);
    const missing = listMissingAbilities(name);
    const limits = missing.length === 0 ? "" : `; it has no ${missing.join(", no ")}`;
    const tried = describeTriedVersion(version, getClientAbilities(name));
    const summary = `${version} at ${path}; its agents are woken by ${paths.join(", ")}${limits}${tried}`;
    if (advice === undefined) return [ok(name, summary)];
    // Do not suggest an update: hooks already work, and updating would not help.
    if (paths.includes("hooks") && !paths.includes("inbox")) return [ok(name, `${summary}. ${advice}`)];
    return [warn(name, `${summary}. ${advice}`, updateAdvice)];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.code === "client_missing" && client !== wanted)
      return [skip(name, `${label} is not installed; to use its agents: ${installAdvice}`)];
    const fix = error.code === "client_missing" ? installAdvice : `install ${label} again`;
    const report = client === wanted ? fail : warn;
    return [report(name, error.message, `${fix}, on the machine that launches agents`)];
  }
}

/** Returns how the version differs from the one for which the table of abilities holds (CLI-184). */
function describeTriedVersion(version: string, { tried, isStandIn }: ClientAbilities): string {
  if (isStandIn) return "; tried with a stand-in that follows its documentation";
  const number = findVersionNumber(version);
  if (number === undefined || number === tried) return "";
  return `; ${isAtLeast(number, tried) ? "newer" : "older"} than ${tried}, the version that was tried`;
}

/**
 * Checks the Merkle home, which must be writable for this user and unreadable for others, because it contains
 * secrets.
 */
export const checkHome: DoctorCheck = async ({ config: { home } }) => {
  const folder = await stat(home).catch(() => undefined);
  if (!folder) return [await checkParent(home)];
  if (!folder.isDirectory()) return [fail("home", `${home} is not a folder`, "set MERKLE_HOME to a folder")];
  if (!(await isWritable(home))) {
    return [
      fail(
        "home",
        `${home} cannot be written`,
        "make it writable for this user, or set MERKLE_HOME to another folder",
      ),
    ];
  }
  return [checkHomePermissions(folder.mode, home) ?? ok("home", home), ...(await checkConfigFile(home))];
};

const gib = 1024 ** 3;

export const checkDisk: DoctorCheck = async ({ config: { home } }) => {
  const { bavail, bsize } = await statfs(await findExistingAncestor(home));
  const free = bavail * bsize;
  const text = `${(free / gib).toFixed(1)} GiB free for ${home}`;
  if (free < 0.2 * gib) return [fail("disk", text, "free some space, or set MERKLE_HOME to another disk")];
  if (free < gib) return [warn("disk", text, "free some space before it runs out")];
  return [ok("disk", text)];
};

async function checkParent(home: string): Promise<DoctorFinding> {
  if (await isWritable(await findExistingAncestor(home)))
    return ok("home", `${home} will be created by the first merkle up`);
  return fail("home", `${home} cannot be created`, "set MERKLE_HOME to a writable folder");
}

function checkHomePermissions(mode: number, home: string): DoctorFinding | undefined {
  if (!isPosix() || (mode & 0o066) === 0) return undefined;
  return warn("home", `others can list ${home}`, `chmod 700 ${home}`);
}

async function checkConfigFile(home: string): Promise<DoctorFinding[]> {
  const path = homeFiles.config(home);
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return [];
  if (!isPosix() || (stats.mode & 0o077) === 0) return [ok("config", path)];
  return [warn("config", `others can read ${path}`, `chmod 600 ${path}`)];
}

/** Returns the path itself, or its nearest existing parent folder. */
async function findExistingAncestor(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : findExistingAncestor(dirname(path));
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}

function describeTorn(slugs: readonly string[]): DoctorFinding {
  const named = slugs.slice(0, 5).join(", ");
  const more = slugs.length > 5 ? ` and ${slugs.length - 5} more` : "";
  return fail(
    "documents",
    `The documents of ${slugs.length} session${slugs.length === 1 ? "" : "s"} differ from their history: ${named}${more}`,
    "restart the broker: it repairs them from their history",
  );
}

/**
 * Checks whether a broker could use its database. If the embedded database is not running, it is started for
 * this check.
 */
export const checkDatabase: DoctorCheck = async ({ config, signal }) => {
  signal.throwIfAborted();
  try {
    const { inspectDatabase } = await loadBroker();
    const { kind, version, fsync, writable, hasData, tornDocuments } = await inspectDatabase(config);
    const name =
      kind === "embedded" ? `embedded PostgreSQL ${version}` : `PostgreSQL ${version} (DATABASE_URL)`;
    if (!fsync)
      return [fail("database", `${name} runs with fsync off`, "set fsync = on and restart the server")];
    if (!writable)
      return [fail("database", `${name} is read-only`, "point DATABASE_URL at the primary server")];
    const healthy = ok("database", `${name}, fsync on${hasData ? "" : ", no data yet"}`);
    return tornDocuments.length === 0 ? [healthy] : [healthy, describeTorn(tornDocuments)];
  } catch (error) {
    // The first sentence of the error message describes the problem, and the rest is advice.
    const [problem = "", ...advice] = explainError(error).message.split(". ");
    return [fail("database", problem, advice.join(". ") || "merkle up -v shows more")];
  }
};
