import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type OutputOf, parseTeamCredential } from "@merkle/wire";
import { CliError, exitCodes } from "../core/cli-error.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { type ProcessLock, takeProcessLock } from "../core/process-lock.js";
import { replaceFile } from "../core/replace-file.js";

/** The places of a mesh, or of all, that this machine holds, the last saved first. Files that are no place of ours are left out. */
export async function listStoredPeers(home: string, meshId: string | null): Promise<StoredPeer[]> {
  const folder = homeFiles.teams(home);
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.filter(isPeerFile).map((name) => readStoredPeer(folder, name)));
  return found
    .filter((team) => team !== undefined)
    .filter((team) => meshId === null || team.mesh_id === meshId)
    .sort((a, b) => b.saved_at.localeCompare(a.saved_at));
}

/** The place of that id, of whatever mesh; undefined when this machine holds none. */
export async function findStoredPeer(home: string, placeId: string): Promise<StoredPeer | undefined> {
  return readStoredPeer(homeFiles.teams(home), `${placeId}.json`);
}

/**
 * Keeps a place with its credential, for this user's eyes alone.
 *
 * @throws CliError `conflict` where a place of another mesh has the id, which a broker may give on purpose
 */
export async function saveTeam(home: string, team: StoredPeer): Promise<void> {
  const before = await findStoredPeer(home, storedPeerId(team));
  if (before && before.mesh_id !== team.mesh_id) throw ofAnotherMesh(before);
  const path = placeFile(home, storedPeerId(team));
  await explainingHome(home, async () => {
    await makeTeamsFolder(home);
    await replaceFile(path, `${JSON.stringify(team, null, 2)}\n`);
  });
}

export async function forgetTeam(home: string, placeId: string): Promise<void> {
  await explainingHome(home, () => rm(placeFile(home, placeId), { force: true }));
  for (const file of [handedOutFile, reportedFile]) await rm(file(home, placeId), { force: true });
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

function ofAnotherMesh({ slug, team_name }: StoredPeer): CliError {
  return new CliError(
    "conflict",
    `The broker gave a peer the id of ${JSON.stringify(team_name)} in ${slug}, which this machine has stored for another mesh. Nothing was saved.`,
    { exitCode: exitCodes.conflict },
  );
}

/** Where a place's server notes which mail it has handed out. */
export function handedOutFile(home: string, placeId: string): string {
  return join(homeFiles.teams(home), `${placeId}.mail`);
}

/** Where a place's server notes what it has reported of the client's usage. */
export function reportedFile(home: string, placeId: string): string {
  return join(homeFiles.teams(home), `${placeId}.usage`);
}

function placeFile(home: string, placeId: string): string {
  return join(homeFiles.teams(home), `${placeId}.json`);
}

async function makeTeamsFolder(home: string): Promise<void> {
  await mkdir(homeFiles.teams(home), { recursive: true, mode: 0o700 });
}

function isPeerFile(name: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json$/.test(name);
}

async function readStoredPeer(folder: string, name: string): Promise<StoredPeer | undefined> {
  try {
    const team = parseStoredPeer(await readFile(join(folder, name), "utf8"));
    return team && `${storedPeerId(team)}.json` === name ? team : undefined;
  } catch {
    // Not readable, or not JSON: whatever it is, no place can be taken from it.
    return undefined;
  }
}

/** A place in a session whose credential this machine keeps, so that whoever is launched next can take it again. */
export interface StoredPeer {
  readonly mesh_id: string;
  readonly session_id: string;
  readonly slug: string;
  /** The bare uuid. */
  readonly team_id: string;
  readonly team_name: string;
  /** The named peer that the place is; null for the team's own place, which has no name. */
  readonly peer_id: string | null;
  readonly peer_name: string | null;
  readonly role: string | null;
  /** As they are written: `backend`, `backend:lead`. */
  readonly groups: readonly string[];
  /** The place's own: the peer's, or the team's where the place has no name. */
  readonly credential: string;
  /** The key of the launch that took the place first. */
  readonly session_key: KeyPair | null;
  /** The Claude Code session that it was last held for, if it was one. */
  readonly claude_session_id: string | null;
  /** The worktree, or outside of a repository the folder, that it was launched in last; null where it is not known. */
  readonly folder: string | null;
  readonly saved_at: string;
}

/** An ed25519 key pair in base64: 32 bytes and 64. */
export interface KeyPair {
  readonly public: string;
  readonly private: string;
}

/** The id of a stored peer, by which its files and `merkle mcp --as` name it. */
export function storedPeerId({ peer_id, team_id }: Pick<StoredPeer, "peer_id" | "team_id">): string {
  return peer_id ?? team_id;
}

/** Takes a file's content for a place; undefined when it is none. Teams were kept without peers once, and still are places. */
export function parseStoredPeer(text: string): StoredPeer | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...withoutPeer, ...value };
  return isStoredPeer(fields) ? fields : undefined;
}

const withoutPeer = {
  peer_id: null,
  peer_name: null,
  role: null,
  groups: [],
  session_key: null,
  folder: null,
};

const texts = ["mesh_id", "session_id", "slug", "team_id", "team_name", "credential", "saved_at"] as const;
const textsOrNull = ["peer_id", "peer_name", "role", "claude_session_id", "folder"] as const;

function isStoredPeer(
  fields: Readonly<Record<string, unknown>>,
): fields is Readonly<Record<string, unknown>> & StoredPeer {
  const { groups, session_key: key } = fields;
  return (
    texts.every((name) => isText(fields[name])) &&
    textsOrNull.every((name) => fields[name] === null || isText(fields[name])) &&
    Array.isArray(groups) &&
    groups.every(isText) &&
    (key === null || isKeyPair(key))
  );
}

function isKeyPair(value: unknown): value is KeyPair {
  if (typeof value !== "object" || value === null || !("public" in value && "private" in value)) return false;
  return isText(value.public) && isText(value.private);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A place that the broker has given, as it names it where it gives one. */
type JoinedPeer = Pick<OutputOf<"join_session">, "session_id" | "slug" | "team_id" | "team_name"> &
  Partial<Pick<OutputOf<"join_session">, "peer_id" | "peer_name">>;

interface PeerOwner {
  readonly meshId: string;
  readonly claudeSessionId: string | null;
  readonly role?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly sessionKey?: KeyPair | undefined;
  readonly folder?: string | undefined;
}

/**
 * A place that the broker has given, as this machine is to hold it from now on.
 *
 * @param before - as it was held, where it was resumed: what is not said anew stays
 */
export function toStoredPeer(given: JoinedPeer, holder: PeerOwner, before?: StoredPeer): StoredPeer {
  const { session_id, slug, team_id: teamCredential, team_name } = given;
  const { peer_id: peerCredential = null, peer_name = null } = given;
  return {
    mesh_id: holder.meshId,
    session_id,
    slug,
    // To a peer that was resumed by its credential, that comes back in the place of the team's.
    team_id: before?.team_id ?? bareId(teamCredential),
    team_name,
    peer_id: peerCredential === null ? null : bareId(peerCredential),
    peer_name,
    role: holder.role ?? before?.role ?? null,
    groups: holder.groups ?? before?.groups ?? [],
    credential: peerCredential ?? teamCredential,
    // Others know the place by its key, so the first one stays.
    session_key: before?.session_key ?? holder.sessionKey ?? null,
    claude_session_id: holder.claudeSessionId ?? before?.claude_session_id ?? null,
    folder: holder.folder ?? before?.folder ?? null,
    saved_at: new Date().toISOString(),
  };
}

/** The team's own place, which has no name and no life of its own beside the peer that the team was made with. */
export function toOwnPeer(
  { session_id, slug, team_id, team_name }: JoinedPeer,
  { meshId }: Pick<PeerOwner, "meshId">,
): StoredPeer {
  return toStoredPeer({ session_id, slug, team_id, team_name }, { meshId, claudeSessionId: null });
}

function bareId(credential: string): string {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker returned a credential in an unknown format.");
  return parsed.teamId;
}
