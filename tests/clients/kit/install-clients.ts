import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientTable } from "@merkle/wire/text";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of each client that could be installed, keyed by the client's name. */
    clientPrograms: Readonly<Record<string, string>>;
  }
}

const packages = {
  claude: "@anthropic-ai/claude-code",
  codex: "@openai/codex",
  gemini: "@google/gemini-cli",
  opencode: "opencode-ai",
  copilot: "@github/copilot",
} as const;
type Client = keyof typeof packages;

const isLatest = process.env["MERKLE_CLIENTS"] === "latest";

const run = promisify(execFile);

/** Installs each client, unless an earlier run has installed it. Warns about clients that are unavailable. */
export default function setup(project: TestProject): Promise<void> {
  return installClients(project, Object.keys(packages) as Client[]);
}

export async function installClients(project: TestProject, names: readonly Client[]): Promise<void> {
  const programs: Record<string, string> = {};
  for (const name of names) {
    const spec = `${packages[name]}@${await chooseVersion(name)}`;
    const program = await install(name, spec);
    if (program === undefined) console.warn(`${spec} could not be installed: what is about it is left out.`);
    else programs[name] = program;
  }
  project.provide("clientPrograms", programs);
}

/** Returns the version that was tried or, with `--latest`, the newest one in the registry, and names both. */
async function chooseVersion(name: Client): Promise<string> {
  const tried = clientTable.find((client) => client.name === name)?.tried ?? "latest";
  if (!isLatest) return tried;
  const newest = await run("npm", ["view", packages[name], "version"]).then(
    ({ stdout }) => stdout.trim(),
    () => "latest",
  );
  console.info(`${name} ${newest}${newest === tried ? ", as tried" : `; ${tried} was tried`}`);
  return newest;
}

async function install(name: string, spec: string): Promise<string | undefined> {
  const folder = join(tmpdir(), "merkle-clients", spec.replaceAll(/[^\w.]+/g, "-"));
  const program = join(folder, "node_modules", ".bin", name);
  if (await runs(program)) return program;
  await rm(folder, { recursive: true, force: true });
  // Some packages download their program in an install script. Without this flag, npm would use this repository's
  // setting for such scripts.
  const quietly = ["--ignore-scripts=false", "--no-save", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...quietly, "--prefix", folder, spec]).catch(() => undefined);
  return (await runs(program)) ? program : undefined;
}

/**
 * True if the program can be started. After an interrupted installation, or if the install script was skipped, the file
 * exists but does not run.
 */
async function runs(program: string): Promise<boolean> {
  if (!existsSync(program)) return false;
  return run(program, ["--version"]).then(
    () => true,
    () => false,
  );
}
