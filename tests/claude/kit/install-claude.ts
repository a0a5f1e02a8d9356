import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { getClientAbilities } from "@merkle/wire/text";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the Claude Code program to test. */
    claude: string;
  }
}

/** The version of Claude Code to test: the one that Merkle was tried with. Other versions may behave differently. */
const version = process.env["MERKLE_CLAUDE_VERSION"] ?? getClientAbilities("claude").tried;

/** Installs Claude Code, unless an earlier run has installed it. */
export default async function setup(project: TestProject): Promise<void> {
  project.provide("claude", await installClaude());
}

async function installClaude(): Promise<string> {
  const folder = join(tmpdir(), `merkle-claude-code-${version}`);
  // The npm package for the platform contains a standalone program, which does not depend on our Node.js version.
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
