import { basename } from "node:path";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../broker/broker-client.js";
import { systemUserName } from "../core/system-user.js";
import { listMembers } from "../home/members.js";
import { listStoredPeers, type StoredPeer } from "../home/stored-peers.js";
import { findProject } from "../progress/find-project.js";
import { findSession } from "../sessions/find-session.js";
import type { Config } from "../settings/config.js";

/** Where a launch happens. */
export interface LaunchScene {
  readonly broker: BrokerClient;
  readonly config: Pick<Config, "home" | "personName">;
  readonly meshId: string;
  /** The worktree, or outside of a repository the folder, that the agent works in. */
  readonly folder: string;
}

/** A session that is there, or is made when it is not; or a new one in any case. `from` says what named it where nobody did. */
export type NamedSession =
  | {
      readonly kind: "named";
      readonly name: string;
      readonly from?: "repository" | "last launch" | "folder";
    }
  | { readonly kind: "new"; readonly title: string };

type UsualSession = Extract<NamedSession, { kind: "named" }>;

/**
 * The session of a launch that names none: the repository's, of which every clone and worktree means the same. Outside of
 * a repository it is the open one that was launched last from this folder, else one named after the folder. Undefined in
 * a folder without a name.
 */
export async function findUsualSession(scene: LaunchScene): Promise<UsualSession | undefined> {
  const { broker, folder } = scene;
  const project = await findProject(folder);
  if (project !== null) return { kind: "named", name: project, from: "repository" };
  const ids = new Set((await listPeersOfFolder(scene)).map((each) => each.session_id));
  for (const id of ids) {
    const session = await findSession(broker, id);
    if (session?.status === "active") return { kind: "named", name: session.slug, from: "last launch" };
  }
  const name = basename(folder).slice(0, limits.titleCharsMax).trim();
  return name === "" ? undefined : { kind: "named", name, from: "folder" };
}

/** The team of a launch that names none: the one that acted last from this folder in the session, else the user's own. */
export async function findUsualTeam(scene: LaunchScene, session: NamedSession): Promise<string> {
  return (await findLastTeam(scene, session)) ?? (await findOwnTeam(scene));
}

export async function findLastTeam(scene: LaunchScene, session: NamedSession): Promise<string | undefined> {
  if (session.kind === "new") return undefined;
  const peers = await listPeersOfFolder(scene);
  const id = (await findSession(scene.broker, session.name))?.session_id;
  return peers.find((each) => each.session_id === id)?.team_name;
}

/** Named after the member where the broker has let one in from here, else after the user. */
export async function findOwnTeam({
  config,
  meshId,
}: Pick<LaunchScene, "config" | "meshId">): Promise<string> {
  const member = (await listMembers(config.home)).find((each) => each.mesh_id === meshId);
  const name = member?.name ?? config.personName ?? systemUserName();
  return `${name}'s Team`.slice(-limits.nameCharsMax);
}

/** The peers that ran in this folder last, the latest first. */
async function listPeersOfFolder({ config, meshId, folder }: LaunchScene): Promise<StoredPeer[]> {
  return (await listStoredPeers(config.home, meshId)).filter((each) => each.folder === folder);
}
