import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The program of each client that could be installed, by its name. */
    clientPrograms: Readonly<Record<string, string>>;
  }
}

/** The one place that names the versions: what was seen of another may differ. */
const packages = {
  claude: "@anthropic-ai/claude-code@2.1.330",
  codex: "@openai/codex@0.169.0",
  gemini: "@google/gemini-cli@0.61.0",
  opencode: "opencode-ai@1.18.33",
  copilot: "@github/copilot@1.0.102",
} as const;

const run = promisify(execFile);

/** Installs each, unless an earlier run has, and names those that cannot be had. */
export default async function setup(project: TestProject): Promise<void> {
  const programs: Record<string, string> = {};
  for (const [name, spec] of Object.entries(packages)) {
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
  // Some fetch their program by a script, and npm hands on what this repository says of scripts.
  const quietly = ["--ignore-scripts=false", "--no-save", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...quietly, "--prefix", folder, spec]).catch(() => undefined);
  return (await runs(program)) ? program : undefined;
}

/** An installation that was broken off, or left a script out, is there and does not run. */
async function runs(program: string): Promise<boolean> {
  if (!existsSync(program)) return false;
  return run(program, ["--version"]).then(
    () => true,
    () => false,
  );
}
