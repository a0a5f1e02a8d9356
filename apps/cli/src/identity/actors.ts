import {
  getOperationRules,
  type InputOf,
  MerkleError,
  type OperationName,
  type OutputOf,
  type Session,
} from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { getSystemUserName } from "../core/system-user.js";
import { listMembers, type StoredMember } from "../home/members.js";
import { findPerson, type StoredPerson, setPersonAside } from "../home/persons.js";
import { findStoredPeer, listStoredPeers, type StoredPeer } from "../home/stored-peers.js";
import { getSession } from "../sessions/find-session.js";
import type { Config } from "../settings/config.js";
import { toShellWord } from "../text/shell.js";
import { findOwnPerson, getOwnPerson, writeAsNew } from "./own-person.js";

/** Who this home acts as at a broker. */
export interface Self {
  /** The person's name, or the name that the first write will use. */
  readonly name: string;
  /** This home's person. Null until the first write from this home. */
  readonly person: StoredPerson | null;
  /** This home's membership. Null if the broker is open to anyone, or if this machine uses a token. */
  readonly member: StoredMember | null;
  /** In an agent's shell, the session and team that commands act as. */
  readonly agent: ShellAgent | null;
}

/** Returns who this home acts as at a broker, without creating a person. */
export async function findSelf({ broker, config }: ActingContext): Promise<Self> {
  const meshId = await broker.getTrustedMeshId();
  const [person, members] = await Promise.all([findPerson(config, meshId), listMembers(config.home)]);
  const member = members.find((each) => each.mesh_id === meshId) ?? null;
  return {
    name: person?.name ?? member?.name ?? config.personName ?? getSystemUserName(),
    person,
    member,
    agent: findAgent(config) ?? null,
  };
}

/** Calls operations as a person or a peer. */
export interface Actor {
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

/** The broker, and the settings that determine who this home acts as. */
interface ActingContext {
  readonly broker: BrokerClient;
  readonly config: Pick<Config, "home" | "session" | "team" | "personName" | "agentShell"> &
    Partial<Pick<Config, "peer">>;
}

/**
 * Returns the actor for writing in a session (CLI-11): in an agent's shell the agent's peer, otherwise this
 * home's person, who is created by the first write.
 *
 * @throws CliError `usage` if an agent's shell writes in another session; `not_found` if this machine has no
 * credential for the agent's team
 */
export async function getSessionActor(session: Session, context: ActingContext): Promise<Actor> {
  const { team } = findAgent(context.config) ?? {};
  return team === undefined ? createPersonActor(context) : getStoredTeamClient(session, team, context);
}

/**
 * Returns the client that uploads files as the actor who writes in a session. An upload cannot create the person, so the
 * person is created first if needed.
 */
export async function getSessionClient(session: Session, context: ActingContext): Promise<BrokerClient> {
  const { team } = findAgent(context.config) ?? {};
  if (team !== undefined) return getStoredTeamClient(session, team, context);
  return context.broker.as((await getOwnPerson(context.broker, context.config)).credential);
}

/**
 * Returns the actor for writing outside a session: always a person, because an agent's team belongs to one
 * session.
 */
export function getPersonActor(context: ActingContext): Actor {
  const agent = findAgent(context.config);
  if (agent) throw limitedToSession(agent);
  return createPersonActor(context);
}

/**
 * Returns the actor for reading as this home's person. Until the first write the actor is anonymous, because
 * reading must not create a person.
 */
export async function getReadingActor({ broker, config }: ActingContext): Promise<Actor> {
  if (findAgent(config)) return broker;
  const meshId = await broker.getTrustedMeshId();
  const person = await findPerson(config, meshId);
  if (!person) return broker;
  const known = broker.as(person.credential);
  return {
    call: (name, input) =>
      known.call(name, input).catch((error: unknown) => {
        // After the database was restored, the broker may not know this person. Read as an anonymous caller
        // instead.
        if (isUnauthorized(error)) return broker.call(name, input);
        throw error;
      }),
  };
}

/** The session and team for which an agent's shell acts. */
interface ShellAgent {
  readonly session: string;
  readonly team: string;
}

/**
 * Returns the agent of this shell. `merkle launch` sets both variables. If only one of them is set, its value
 * is just a default.
 */
function findAgent({ session, team }: ActingContext["config"]): ShellAgent | undefined {
  return session === undefined || team === undefined ? undefined : { session, team };
}

/**
 * Returns the actor for this home's person. If the broker's database was restored and lacks the person, the
 * next write creates the person again.
 */
function createPersonActor({ broker, config }: ActingContext): Actor {
  return {
    async call(name, input) {
      const person = await findOwnPerson(broker, config);
      try {
        if (person) return await broker.as(person.credential).call(name, input);
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
      }
      const { readOnly, access } = getOperationRules(name);
      if (readOnly && access === "team") throw notJoinedYet(broker);
      if (readOnly) return broker.call(name, input);
      if (person) await setPersonAside(config, person);
      return writeAsNew({ broker, config }, (as) => as.call(name, input));
    },
  };
}

function notJoinedYet({ base }: BrokerClient): CliError {
  return new CliError(
    "not_found",
    `You have not joined yet at ${base}: your first message, session or decision there adds you. Until then nothing is stored about you.`,
    { exitCode: exitCodes.not_found, next: ["merkle whoami"] },
  );
}

async function getStoredTeamClient(
  session: Session,
  team: string,
  { broker, config }: ActingContext,
): Promise<BrokerClient> {
  if (![session.slug, session.session_id, session.title].includes(config.session ?? "")) {
    throw limitedToSession({ session: config.session ?? "", team });
  }
  const meshId = await broker.getTrustedMeshId();
  const storedPeer = await findOwnPeer({ meshId, sessionId: session.session_id, team }, config);
  if (storedPeer) return broker.as(storedPeer.credential);
  throw new CliError(
    "not_found",
    `This machine has no credential for the team ${JSON.stringify(team)} (MERKLE_TEAM) in ${session.slug}.`,
    {
      exitCode: exitCodes.not_found,
      next: [
        `merkle launch --session ${session.slug} --team ${toShellWord(team)}`,
        "unset MERKLE_TEAM to post as yourself",
      ],
    },
  );
}

/**
 * Finds the peer named by `MERKLE_PEER`. Without that variable, as in a manually configured shell, prefers
 * the team's unnamed peer to its other peers.
 */
async function findOwnPeer(
  { meshId, sessionId, team }: { meshId: string; sessionId: string; team: string },
  { home, peer }: ActingContext["config"],
): Promise<StoredPeer | undefined> {
  const isHere = (each: StoredPeer) => each.mesh_id === meshId && each.session_id === sessionId;
  if (peer !== undefined) {
    const stored = await findStoredPeer(home, peer);
    return stored && isHere(stored) ? stored : undefined;
  }
  const storedPeers = (await listStoredPeers(home, meshId)).filter(
    (each) => isHere(each) && each.team_name === team,
  );
  return storedPeers.find((each) => each.peer_id === null) ?? storedPeers[0];
}

function limitedToSession({ session, team }: ShellAgent): CliError {
  return usageError(
    `This is the shell of ${JSON.stringify(team)} in ${session} (MERKLE_TEAM, MERKLE_SESSION), which can post only there.`,
    "unset MERKLE_TEAM MERKLE_SESSION to post as yourself",
  );
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "unauthorized";
}

/**
 * Returns the actor for writing data that belongs to the mesh, such as memory: in an agent's shell the
 * agent's peer, otherwise this home's person.
 */
export async function getMeshActor(context: ActingContext): Promise<Actor> {
  const { session, team } = context.config;
  if (session === undefined || team === undefined) return getPersonActor(context);
  return getSessionActor(await getSession(context.broker, undefined, context.config), context);
}
