import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { AuditKey } from "@merkle/wire/record";
import { CliError, exitCodes } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { readPrivateJson, writePrivateJson } from "../core/private-file.js";

/**
 * A mesh for which this home has credentials, the addresses at which the mesh was reached, and its broker's
 * keys.
 */
export interface KnownMesh {
  readonly mesh_id: string;
  readonly broker_id: string;
  /** The broker's audit keys. Empty if the broker has never proved ownership of a key. */
  readonly keys: readonly AuditKey[];
  /** The known addresses. `home` stands for the broker that runs on this home, whichever port it uses. */
  readonly addresses: readonly string[];
}

/**
 * Returns a known mesh. @throws CliError if the file is invalid, because ignoring it could send credentials
 * to any address
 */
export function findKnownMesh(home: string, meshId: string): KnownMesh | undefined {
  const path = toMeshPath(home, meshId);
  try {
    const value = readPrivateJson(path);
    if (value === undefined) return undefined;
    const { mesh_id, broker_id, keys, addresses }: Partial<KnownMesh> = Object(value);
    const isWhole = mesh_id === meshId && Array.isArray(keys) && Array.isArray(addresses);
    if (isWhole && typeof broker_id === "string") return { mesh_id, broker_id, keys, addresses };
  } catch {
    // Invalid JSON leads to the same error as invalid content.
  }
  throw new CliError(
    "unreadable",
    `${path}, which lists where credentials may be sent, is not valid. Correct it, or remove it and run merkle trust.`,
    { exitCode: exitCodes.unexpected },
  );
}

export function listKnownMeshes(home: string): KnownMesh[] {
  try {
    const names = readdirSync(homeFiles.meshes(home)).filter((name) => /^[0-9a-f-]{36}\.json$/.test(name));
    return names.flatMap((name) => findKnownMesh(home, name.slice(0, 36)) ?? []);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

export function saveKnownMesh(home: string, mesh: KnownMesh): void {
  writePrivateJson(toMeshPath(home, mesh.mesh_id), mesh);
}

function toMeshPath(home: string, meshId: string): string {
  return join(homeFiles.meshes(home), `${meshId}.json`);
}
