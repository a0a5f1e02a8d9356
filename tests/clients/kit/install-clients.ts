import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The path of each client that could be installed, keyed by the client's name. */
    clientPrograms: Readonly<Record<string, string>>;
  }
}

/** The versions of the clients to test, defined only here. Other versions may behave differently. */
const packages = {
  claude: "@anthropic-ai/claude-code@2.1.330",
  codex: "@openai/codex@0.169.0",
  gemini: "@google/gemini-cli@0.61.0",
  opencode: "opencode-ai@1.18.33",
  copilot: "@github/copilot@1.0.102",
} as const;

const run = promisify(execFile);

/** Installs each client, unless an earlier run has installed it. Warns about clients that are unavailable. */
export default function setup(project: TestProject): Promise<void> {
  return installClients(project, Object.keys(packages) as (keyof typeof packages)[]);
}

export async function installClients(
  project: TestProject,
  names: readonly (keyof typeof packages)[],
): Promise<void> {
  const programs: Record<string, string> = {};
  for (const name of names) {
    const spec = packages[name];
    const program = await install(name, spec);
    if (program === undefined) console.warn(`${spec} could not be installed: what is about it is left out.`);
    else programs[name] = program;
  }
  project.provide("clientPrograms", programs);
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
