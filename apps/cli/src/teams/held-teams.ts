import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { explainingHome, homeFiles } from "../merkle-home.js";
import { type ProcessLock, takeProcessLock } from "./process-lock.js";

/** A team whose credential this machine keeps, so that whoever is launched next can take its place again. */
export interface HeldTeam {
  readonly mesh_id: string;
  readonly session_id: string;
  readonly slug: string;
  /** The bare uuid. */
  readonly team_id: string;
  readonly team_name: string;
  readonly credential: string;
  /** The Claude Code session that it was last held for, if it was one. */
  readonly claude_session_id: string | null;
  readonly saved_at: string;
}

/** The teams of a mesh that this machine holds, the last saved first. Files that are no team of ours are left out. */
export async function listHeldTeams(home: string, meshId: string): Promise<HeldTeam[]> {
  const folder = homeFiles.teams(home);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.filter(isTeamFile).map((name) => readTeam(folder, name)));
  return found
    .filter((team) => team !== undefined)
    .filter((team) => team.mesh_id === meshId)
    .sort((a, b) => b.saved_at.localeCompare(a.saved_at));
}

/** The team of that uuid, of whatever mesh; undefined when this machine holds none. */
export async function findHeldTeam(home: string, teamId: string): Promise<HeldTeam | undefined> {
  return readTeam(homeFiles.teams(home), `${teamId}.json`);
}

/** Keeps a team's credential, for this user's eyes alone. */
export async function saveTeam(home: string, team: HeldTeam): Promise<void> {
  const path = teamFile(home, team.team_id);
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

export async function forgetTeam(home: string, teamId: string): Promise<void> {
  await explainingHome(home, () => rm(teamFile(home, teamId), { force: true }));
}

/**
 * Makes this process the one of this machine that acts as the team, or returns null while another live process does: two
 * with one credential would take each other's mail.
 */
export async function holdTeam(home: string, teamId: string): Promise<ProcessLock | null> {
  return explainingHome(home, async () => {
    await makeTeamsFolder(home);
    return takeProcessLock(join(homeFiles.teams(home), `${teamId}.lock`));
  });
}

function teamFile(home: string, teamId: string): string {
  return join(homeFiles.teams(home), `${teamId}.json`);
}

async function makeTeamsFolder(home: string): Promise<void> {
  await mkdir(homeFiles.teams(home), { recursive: true, mode: 0o700 });
}

function isTeamFile(name: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/.test(name);
}

async function readTeam(folder: string, name: string): Promise<HeldTeam | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, name), "utf8"));
    return isHeldTeam(value) && `${value.team_id}.json` === name ? value : undefined;
  } catch {
    // Not readable, or not JSON: whatever it is, no team can be taken from it.
    return undefined;
  }
}

function isHeldTeam(value: unknown): value is HeldTeam {
  if (typeof value !== "object" || value === null) return false;
  const { claude_session_id: claudeSession, ...fields }: Readonly<Record<string, unknown>> = { ...value };
  if (claudeSession !== null && typeof claudeSession !== "string") return false;
  return texts.every((name) => typeof fields[name] === "string");
}

const texts = ["mesh_id", "session_id", "slug", "team_id", "team_name", "credential", "saved_at"] as const;
