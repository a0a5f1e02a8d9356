import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { limits } from "@merkle/wire/limits";
import type { ResumeTarget } from "../clients/client.js";
import type { Prompter } from "../command/ask.js";
import { getSystemUserName } from "../core/system-user.js";
import { listMembers } from "../home/members.js";
import { listStoredPeers, type StoredPeer } from "../home/stored-peers.js";
import { findSession } from "../sessions/find-session.js";
import { findFreeStoredPeer, isUnused, listOwnTeams } from "../sessions/requested-peer.js";
import { type ChosenSession, type LaunchScene, listPeersOfFolder } from "./choose-session.js";
import { type PreviousAnswers, readLastAnswers } from "./last-answers.js";
import {
  findGroupsProblem,
  findNameProblem,
  findRoleProblem,
  findTeamProblem,
  type LaunchOptions,
  type NamedSession,
  toGroups,
} from "./launch-options.js";

/** The peer that a launched agent acts as. */
export interface LaunchPeer {
  readonly team: string;
  /** The peer's name, if the user named one. */
  readonly name: string | undefined;
  /** The name to use if the user named none. It gets a number if it is already taken. */
  readonly defaultName: string;
  readonly role: string | undefined;
  readonly groups: readonly string[] | undefined;
  /** The stored peer of the resumed conversation. If set, the agent acts as exactly this peer. */
  readonly stored?: StoredPeer;
}

/**
 * Returns the peer that the flags describe. Without `--team`, it joins the folder's usual team (LAUNCH-3).
 */
export async function choosePeer(
  { team, name, role, groups, defaultPeerName }: LaunchOptions,
  scene: LaunchScene,
  session: NamedSession,
): Promise<LaunchPeer> {
  const teamName = team ?? (await findLastTeam(scene, session)) ?? (await findOwnTeam(scene));
  return { team: teamName, name, defaultName: defaultPeerName, role, groups };
}

/** Returns the stored peer that a resumed conversation acts as. */
export function toResumedPeer(
  stored: StoredPeer,
  { role, groups, defaultPeerName }: Pick<LaunchOptions, "role" | "groups" | "defaultPeerName">,
): LaunchPeer {
  return {
    team: stored.team_name,
    name: stored.peer_name ?? undefined,
    defaultName: defaultPeerName,
    role,
    groups,
    stored,
  };
}

/**
 * Asks for the values that the flags leave out. Each question offers the value that `-y` would use, or else
 * the answer from the last launch (LAUNCH-10).
 */
export async function askPeer(
  options: LaunchOptions,
  {
    prompter,
    session,
    ...scene
  }: LaunchScene & { readonly prompter: Prompter; readonly session: NamedSession },
): Promise<LaunchPeer> {
  const last = await readLastAnswers(scene.config.home);
  const team = options.team ?? (await askTeam(prompter, scene, { session, last }));
  const { defaultPeerName: defaultName } = options;
  const freePeer = await findOfferedPeer(scene, { session, team, defaultName: last.name ?? defaultName });
  const offered = freePeer?.peer_name ?? last.name ?? defaultName;
  const name = options.name ?? (await askName(prompter, offered));
  // The defaults are the stored peer's own role and groups or, for a new peer, those from the last launch.
  const role = options.role ?? (await askRole(prompter, freePeer ? freePeer.role : last.role));
  const groups =
    options.groups ?? (await askGroups(prompter, freePeer ? freePeer.groups.join(", ") : last.groups));
  // If the user accepts the offered name, a number may still be added if the name is taken.
  const isOffered = options.name === undefined && name === offered;
  return { team, name: isOffered ? undefined : name, defaultName: offered, role, groups };
}

async function askTeam(
  prompter: Prompter,
  scene: LaunchScene,
  { session, last }: { readonly session: NamedSession; readonly last: PreviousAnswers },
): Promise<string> {
  return prompter.askText({
    message: "Team",
    default: (await findLastTeam(scene, session)) ?? last.team ?? (await findOwnTeam(scene)),
    findProblem: findTeamProblem,
  });
}

function askName(prompter: Prompter, offered: string): Promise<string> {
  return prompter.askText({ message: "Peer name", default: offered, findProblem: findNameProblem });
}

async function askRole(prompter: Prompter, offered: string | null | undefined): Promise<string | undefined> {
  const role = await askOptional(prompter, "Role     ", offered, findRoleProblem);
  return role || undefined;
}

async function askGroups(
  prompter: Prompter,
  offered: string | undefined,
): Promise<readonly string[] | undefined> {
  const groups = await askOptional(prompter, "Groups   ", offered, findGroupsProblem);
  return groups === "" ? undefined : toGroups(groups);
}

/** The input that stands for "no role" or "no groups", because an empty answer selects the default. */
const none = "-";

async function askOptional(
  prompter: Prompter,
  question: string,
  offered: string | null | undefined,
  problemOf: (text: string) => string | undefined,
): Promise<string> {
  const answer = await prompter.askText({
    message: `${question} (optional${offered ? `, ${none} for none` : ""})`,
    default: offered || undefined,
    findProblem: (text) => (text === "" || text === none ? undefined : problemOf(text)),
  });
  return answer === none ? "" : answer;
}

/** Returns the stored peer that the launch resumes if the user accepts the offered name. */
async function findOfferedPeer(
  { broker, config: { home }, meshId, folder }: LaunchScene,
  { session, team, defaultName }: { session: NamedSession; team: string; defaultName: string },
): Promise<StoredPeer | undefined> {
  const existing = session.kind === "named" ? await findSession(broker, session.name) : null;
  if (!existing) return undefined;
  const request = { home, meshId, sessionId: existing.session_id, teamName: team, folder };
  return findFreeStoredPeer({ ...request, defaultPeerName: defaultName });
}

export async function findLastTeam(scene: LaunchScene, session: NamedSession): Promise<string | undefined> {
  if (session.kind === "new") return undefined;
  const peers = await listPeersOfFolder(scene);
  const id = (await findSession(scene.broker, session.name))?.session_id;
  return peers.find((each) => each.session_id === id)?.team_name;
}

/**
 * Returns the default team name. It contains the name of this machine's member in the mesh or, without one,
 * the user's name.
 */
export async function findOwnTeam({
  config,
  meshId,
}: Pick<LaunchScene, "config" | "meshId">): Promise<string> {
  const member = (await listMembers(config.home)).find((each) => each.mesh_id === meshId);
  const name = member?.name ?? config.personName ?? getSystemUserName();
  return `${name}'s Team`.slice(-limits.nameCharsMax);
}

/**
 * Returns the stored peer of the conversation that the client's own arguments resume, unless a live process
 * already acts as that peer. `latest` works only for Claude Code.
 */
export async function findResumedPeer(
  target: ResumeTarget,
  { home, meshId, cwd, env }: { home: string; meshId: string; cwd: string; env: NodeJS.ProcessEnv },
): Promise<StoredPeer | undefined> {
  const id = target === "latest" ? await findLatestConversation(cwd, env) : target.id;
  if (id === undefined) return undefined;
  const peers = await listStoredPeers(home, meshId);
  for (const peer of peers.filter((each) => each.claude_session_id === id)) {
    if (await isUnused(home, peer)) return peer;
  }
  return undefined;
}

/**
 * Returns the conversation that `--continue` resumes: the most recently written conversation in this folder.
 */
async function findLatestConversation(cwd: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const config = env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude");
  const folder = join(config, "projects", (await realpath(cwd)).replace(/[^A-Za-z0-9]/g, "-"));
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const transcripts = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const [latest] = transcripts.sort((a, b) => b.at - a.at);
  return latest?.name.replace(/\.jsonl$/, "");
}

/** Shown instead of the id of a peer that does not exist yet. */
export const unknownPeerId = "NEW_PEER_ID";

interface ExpectedPeer {
  readonly expected: Pick<StoredPeer, "slug" | "team_id" | "team_name" | "peer_id" | "peer_name">;
  /** Where the peer comes from, as text for the user. */
  readonly origin: string;
}

/**
 * Returns the peer that a launch would probably act as, according to this machine. The broker may add a
 * number to a new name.
 */
export async function findExpectedPeer(
  {
    peer,
    meshId,
    config,
    folder,
  }: Pick<LaunchScene, "meshId" | "config" | "folder"> & { readonly peer: LaunchPeer },
  chosen: ChosenSession,
): Promise<ExpectedPeer> {
  const slug = chosen.kind === "there" ? chosen.session.slug : (chosen.slug ?? "NEW_SESSION");
  const request = {
    home: config.home,
    meshId,
    sessionId: chosen.kind === "there" ? chosen.session.session_id : slug,
    teamName: peer.team,
    peerName: peer.name,
    defaultPeerName: peer.defaultName,
    folder,
  };
  const stored = peer.stored ?? (await findFreeStoredPeer(request));
  if (stored) return { expected: stored, origin: "a peer that is stored on this machine" };
  const unknown = { peer_id: unknownPeerId, peer_name: peer.name ?? peer.defaultName };
  const [team] = await listOwnTeams(request);
  if (team)
    return {
      expected: { ...team, ...unknown },
      origin: "a new peer of a team that is stored on this machine",
    };
  return {
    expected: { slug, team_id: unknownPeerId, team_name: peer.team, ...unknown },
    origin: "in a new team",
  };
}
