import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The Claude Code program that is driven. */
    claude: string;
  }
}

/** The one place that names the version: what is measured of another may differ. */
const version = process.env["MERKLE_CLAUDE_VERSION"] ?? "2.1.330";

/** Installs the client, unless an earlier run has. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("claude", await installClaude());
}

async function installClaude(): Promise<string> {
  const folder = join(tmpdir(), `merkle-claude-code-${version}`);
  // The package's platform part is a program by itself, which needs no newer Node than ours.
  const program = join(
    folder,
    `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  );
  if (existsSync(program)) return program;
  const unfinished = await mkdtemp(`${folder}-`);
  try {
    const quietly = ["--no-save", "--no-audit", "--no-fund"];
    const call = ["install", ...quietly, "--prefix", unfinished, `@anthropic-ai/claude-code@${version}`];
    await promisify(execFile)("npm", call);
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  if (!existsSync(program)) throw new Error(`Claude Code ${version} was installed, but not as ${program}.`);
  return program;
}
