import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CliError, exitCodes } from "../core/cli-error.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { type ProcessLock, takeProcessLock } from "../core/process-lock.js";
import { type HeldTeam, parseHeldTeam, placeIdOf } from "../teams/held-team.js";

export { type HeldTeam, placeIdOf } from "../teams/held-team.js";

/** The places of a mesh, or of all, that this machine holds, the last saved first. Files that are no place of ours are left out. */
export async function listHeldTeams(home: string, meshId: string | null): Promise<HeldTeam[]> {
  const folder = homeFiles.teams(home);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.filter(isPlaceFile).map((name) => readPlace(folder, name)));
  return found
    .filter((team) => team !== undefined)
    .filter((team) => meshId === null || team.mesh_id === meshId)
    .sort((a, b) => b.saved_at.localeCompare(a.saved_at));
}

/** The place of that id, of whatever mesh; undefined when this machine holds none. */
export async function findHeldTeam(home: string, placeId: string): Promise<HeldTeam | undefined> {
  return readPlace(homeFiles.teams(home), `${placeId}.json`);
}

/**
 * Keeps a place with its credential, for this user's eyes alone.
 *
 * @throws CliError `conflict` where a place of another mesh has the id, which a broker may give on purpose
 */
export async function saveTeam(home: string, team: HeldTeam): Promise<void> {
  const before = await findHeldTeam(home, placeIdOf(team));
  if (before && before.mesh_id !== team.mesh_id) throw ofAnotherMesh(before);
  const path = placeFile(home, placeIdOf(team));
  const unfinished = `${path}.${randomUUID()}.new`;
  await explainingHome(home, async () => {
    await makeTeamsFolder(home);
    try {
      await writeFile(unfinished, `${JSON.stringify(team, null, 2)}\n`, { mode: 0o600 });
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
  });
}

export async function forgetTeam(home: string, placeId: string): Promise<void> {
  await explainingHome(home, () => rm(placeFile(home, placeId), { force: true }));
}

/**
 * Makes this process the one of this machine that acts in the place, or returns null while another live process does:
 * two with one credential would take each other's mail.
 */
export async function holdTeam(home: string, placeId: string): Promise<ProcessLock | null> {
  return explainingHome(home, async () => {
    await makeTeamsFolder(home);
    return takeProcessLock(join(homeFiles.teams(home), `${placeId}.lock`));
  });
}

function ofAnotherMesh({ slug, team_name }: HeldTeam): CliError {
  return new CliError(
    "conflict",
    `The broker gave a place the id of ${JSON.stringify(team_name)} in ${slug}, which this machine holds for another mesh. Nothing was kept.`,
    { exitCode: exitCodes.conflict },
  );
}

function placeFile(home: string, placeId: string): string {
  return join(homeFiles.teams(home), `${placeId}.json`);
}

async function makeTeamsFolder(home: string): Promise<void> {
  await mkdir(homeFiles.teams(home), { recursive: true, mode: 0o700 });
}

function isPlaceFile(name: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/.test(name);
}

async function readPlace(folder: string, name: string): Promise<HeldTeam | undefined> {
  try {
    const team = parseHeldTeam(await readFile(join(folder, name), "utf8"));
    return team && `${placeIdOf(team)}.json` === name ? team : undefined;
  } catch {
    // Not readable, or not JSON: whatever it is, no place can be taken from it.
    return undefined;
  }
}
