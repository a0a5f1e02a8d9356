import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import type { BackupManifest } from "./manifest.js";
import { readBackupManifest } from "./read-backup-file.js";

it("[BACKUP-3] says what a backup claims to hold without reading the rest, however much that is", async () => {
  const manifest: BackupManifest = {
    format: "merkle-backup",
    version: 1,
    created_at: "2026-11-22T02:00:00.000Z",
    merkle_version: "0.1.0",
    server_version: "18.4",
    epoch: "b56b16c1-6f5c-4ef6-92a0-58f0f3a1b0f5",
    migrations: [1],
    tables: [{ name: "meshes", columns: ["mesh_id"] }],
    sequences: [],
  };
  const file = await writeCompressed(Buffer.from(`${JSON.stringify(manifest)}\n`), Buffer.alloc(8 << 20));
  await expect(readBackupManifest(file)).resolves.toEqual(manifest);
});

it("[BACKUP-3] a file that is not there is told by its name", async () => {
  await expect(readBackupManifest("/nowhere/merkle.backup")).rejects.toThrow("/nowhere/merkle.backup");
});

async function writeCompressed(...parts: readonly Buffer[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-backup-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, "merkle.backup");
  await writeFile(file, gzipSync(Buffer.concat(parts)));
  return file;
}
