import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { getEntryFile } from "../core/this-program.js";

const run = promisify(execFile);

/**
 * Packs this program into the tarball that its broker serves at `/cli.tgz`. An installed package packs
 * itself. In a checkout, a child process first bundles the compiled code, which takes a few seconds.
 */
export async function packCli(entry = getEntryFile()): Promise<Uint8Array> {
  const folder = dirname(dirname(entry));
  if (existsSync(join(folder, "bundle"))) return pack(folder);
  const buildFolder = await mkdtemp(join(tmpdir(), "merkle-cli-"));
  try {
    await run(process.execPath, [join(folder, "scripts/write-package.mjs"), buildFolder]);
    return await pack(buildFolder);
  } finally {
    await rm(buildFolder, { recursive: true, force: true });
  }
}

const packedFiles = ["package.json", "README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt", "bin", "bundle"];

async function pack(folder: string): Promise<Uint8Array> {
  const { create } = await import("tar");
  const parts = packedFiles.filter((part) => existsSync(join(folder, part)));
  return create({ cwd: folder, prefix: "package", gzip: true, portable: true }, parts).concat();
}
