import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { OutputOf } from "@merkle/wire";
import { toBareId } from "../core/bare-id.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { isObject } from "../core/is-object.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { type ProcessLock, takeProcessLock } from "../core/process-lock.js";
import { replaceFile } from "../core/replace-file.js";

/**
 * Lists the stored peers of a mesh, or of all meshes, starting with the one saved last. Skips files that are
 * not stored peers.
 */
export async function listStoredPeers(home: string, meshId: string | null): Promise<StoredPeer[]> {
  const folder = homeFiles.teams(home);
  const names = await readdir(folder).catch(() => []);
  const peers = await Promise.all(names.filter(isPeerFile).map((name) => readStoredPeer(folder, name)));
  return peers
    .filter((team) => team !== undefined)
    .filter((team) => meshId === null || team.mesh_id === meshId)
    .sort((a, b) => b.saved_at.localeCompare(a.saved_at));
}

/** Returns the stored peer with this id, in any mesh. */
export async function findStoredPeer(home: string, storedPeerId: string): Promise<StoredPeer | undefined> {
  return readStoredPeer(homeFiles.teams(home), `${storedPeerId}.json`);
}

/**
 * Stores a peer with its credential in a file that only this user can read.
 *
 * @throws CliError `conflict` if a peer in another mesh has the same id, because a hostile broker can choose
 * ids
 */
export async function saveStoredPeer(home: string, team: StoredPeer): Promise<void> {
  const previous = await findStoredPeer(home, toStoredPeerId(team));
  if (previous && previous.mesh_id !== team.mesh_id) throw peerOfAnotherMesh(previous);
  const path = toPeerPath(home, toStoredPeerId(team));
  await explainHomeErrors(home, async () => {
    await makeTeamsFolder(home);
    await replaceFile(path, `${JSON.stringify(team, null, 2)}\n`);
  });
}

export async function deleteStoredPeer(home: string, storedPeerId: string): Promise<void> {
  await explainHomeErrors(home, () => rm(toPeerPath(home, storedPeerId), { force: true }));
  for (const file of [toDeliveryRecordPath, toUsageRecordPath, toOwnLaunchPath])
    await rm(file(home, storedPeerId), { force: true });
}

/**
 * Locks a peer for this process. Returns null while another live process holds the lock: two processes with
 * one credential would each receive messages meant for the other.
 */
export async function lockStoredPeer(home: string, storedPeerId: string): Promise<ProcessLock | null> {
  return explainHomeErrors(home, async () => {
    await makeTeamsFolder(home);
    return takeProcessLock(join(homeFiles.teams(home), `${storedPeerId}.lock`));
  });
}

function peerOfAnotherMesh({ slug, team_name }: StoredPeer): CliError {
  return new CliError(
    "conflict",
    `The broker gave a peer the id of ${JSON.stringify(team_name)} in ${slug}, which this machine has stored for another mesh. Nothing was saved.`,
    { exitCode: exitCodes.conflict },
  );
}

/** Returns the file in which a peer's server records the messages that it has delivered. */
export function toDeliveryRecordPath(home: string, storedPeerId: string): string {
  return join(homeFiles.teams(home), `${storedPeerId}.mail`);
}

/** Returns the file in which a peer's server records the usage that it has reported. */
export function toUsageRecordPath(home: string, storedPeerId: string): string {
  return join(homeFiles.teams(home), `${storedPeerId}.usage`);
}

/** Returns the file that binds a peer's launch to devices of its person (OWN-1). */
export function toOwnLaunchPath(home: string, storedPeerId: string): string {
  return join(homeFiles.teams(home), `${storedPeerId}.own`);
}

function toPeerPath(home: string, storedPeerId: string): string {
  return join(homeFiles.teams(home), `${storedPeerId}.json`);
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
    return team && `${toStoredPeerId(team)}.json` === name ? team : undefined;
  } catch {
    // An unreadable or invalid file does not count as a stored peer.
    return undefined;
  }
}

/** A peer whose credential is stored on this machine, so that a later launch can resume it. */
export interface StoredPeer {
  readonly mesh_id: string;
  readonly session_id: string;
  readonly slug: string;
  /** The team's uuid, without the credential's secret. */
  readonly team_id: string;
  readonly team_name: string;
  /** The peer's uuid. Null for the team's unnamed peer. */
  readonly peer_id: string | null;
  readonly peer_name: string | null;
  readonly role: string | null;
  /** The groups as users write them, such as `backend` or `backend:lead`. */
  readonly groups: readonly string[];
  /** The peer's credential. For the unnamed peer, the team's. */
  readonly credential: string;
  /** The key of the launch in which this peer first joined. */
  readonly session_key: KeyPair | null;
  /** The client's conversation that most recently acted as this peer. */
  readonly claude_session_id: string | null;
  /** The worktree of the last launch or, outside a repository, the folder of the launch. Null if unknown. */
  readonly folder: string | null;
  readonly saved_at: string;
}

/** An ed25519 key pair in base64. The public key has 32 bytes, the private key 64. */
export interface KeyPair {
  readonly public: string;
  readonly private: string;
}

/** Returns the id of a stored peer, which names its files and is passed to `merkle mcp --as`. */
export function toStoredPeerId({ peer_id, team_id }: Pick<StoredPeer, "peer_id" | "team_id">): string {
  return peer_id ?? team_id;
}

/**
 * Parses a stored peer. Returns undefined if it is invalid. Older files contain a team and no fields of a
 * peer.
 */
export function parseStoredPeer(text: string): StoredPeer | undefined {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return undefined;
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

const textFields = [
  "mesh_id",
  "session_id",
  "slug",
  "team_id",
  "team_name",
  "credential",
  "saved_at",
] as const;
const nullableTextFields = ["peer_id", "peer_name", "role", "claude_session_id", "folder"] as const;

function isStoredPeer(
  fields: Readonly<Record<string, unknown>>,
): fields is Readonly<Record<string, unknown>> & StoredPeer {
  const { groups, session_key: key } = fields;
  return (
    textFields.every((name) => isText(fields[name])) &&
    nullableTextFields.every((name) => fields[name] === null || isText(fields[name])) &&
    Array.isArray(groups) &&
    groups.every(isText) &&
    (key === null || isKeyPair(key))
  );
}

function isKeyPair(value: unknown): value is KeyPair {
  return isObject(value) && isText(value["public"]) && isText(value["private"]);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The fields that the replies to `join_session` and `create_session` have in common. */
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
 * Converts the broker's reply to a stored peer.
 *
 * @param previous - the stored peer that was resumed; its fields are kept unless there are new values
 */
export function toStoredPeer(joined: JoinedPeer, owner: PeerOwner, previous?: StoredPeer): StoredPeer {
  const { session_id, slug, team_id: teamCredential, team_name } = joined;
  const { peer_id: peerCredential = null, peer_name = null } = joined;
  return {
    mesh_id: owner.meshId,
    session_id,
    slug,
    // If a peer was resumed with its own credential, the reply contains that credential instead of the
    // team's.
    team_id: previous?.team_id ?? toBareId(teamCredential),
    team_name,
    peer_id: peerCredential === null ? null : toBareId(peerCredential),
    peer_name,
    role: owner.role ?? previous?.role ?? null,
    groups: owner.groups ?? previous?.groups ?? [],
    credential: peerCredential ?? teamCredential,
    // Other peers recognise this peer by the key that it first joined with.
    session_key: previous?.session_key ?? owner.sessionKey ?? null,
    claude_session_id: owner.claudeSessionId ?? previous?.claude_session_id ?? null,
    folder: owner.folder ?? previous?.folder ?? null,
    saved_at: new Date().toISOString(),
  };
}

/** Returns the team's unnamed peer, whose credential can add further peers to the team. */
export function toOwnPeer(
  { session_id, slug, team_id, team_name }: JoinedPeer,
  { meshId }: Pick<PeerOwner, "meshId">,
): StoredPeer {
  return toStoredPeer({ session_id, slug, team_id, team_name }, { meshId, claudeSessionId: null });
}
