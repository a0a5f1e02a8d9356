import {
  type InputOf,
  MerkleError,
  type OperationName,
  type OutputOf,
  rulesOf,
  type Session,
} from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Config } from "../config.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { getSession } from "../sessions/find-session.js";
import { findStoredPeer, listStoredPeers, type StoredPeer } from "../sessions/stored-peers.js";
import { shellWord } from "../text/shell.js";
import { meetMesh } from "../trust/require-known.js";
import { findOwnPerson, writeAsNew } from "./own-person.js";
import { findPerson, setPersonAside } from "./persons.js";

/** Calls operations as somebody. */
export interface Actor {
  call<Name extends OperationName>(name: Name, input: InputOf<Name>): Promise<OutputOf<Name>>;
}

/** The broker, and what says who acts from here. */
interface Acting {
  readonly broker: BrokerClient;
  readonly config: Pick<Config, "home" | "session" | "team" | "personName" | "agentShell"> &
    Partial<Pick<Config, "peer">>;
}

/**
 * Returns the actor that writes in a session from here (CLI-11): in the shell of a launched agent its team, and anywhere else the
 * person of this home, who is made by the first write.
 *
 * @throws CliError `usage` where an agent's shell would write elsewhere; `not_found` where its team is not held
 */
export async function actingIn(session: Session, acting: Acting): Promise<Actor> {
  const { team } = agentOf(acting.config) ?? {};
  return team === undefined ? asPerson(acting) : asHeldTeam(session, team, acting);
}

/** The writer outside any session: never an agent, whose team belongs to one. */
export function actingAsPerson(acting: Acting): Actor {
  const agent = agentOf(acting.config);
  if (agent) throw elsewhere(agent);
  return asPerson(acting);
}

/** The broker as the person of this home sees it. Reading makes nobody, so whoever has not written yet sees it as a stranger. */
export async function readingFrom({ broker, config }: Acting): Promise<Actor> {
  if (agentOf(config)) return broker;
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const person = await findPerson(config, meshId);
  if (!person) return broker;
  const known = broker.as(person.credential);
  return {
    call: (name, input) =>
      known.call(name, input).catch((error: unknown) => {
        // The broker may have been restored to a day before this person; what is open to read stays so.
        if (isUnauthorized(error)) return broker.call(name, input);
        throw error;
      }),
  };
}

interface Agent {
  readonly session: string;
  readonly team: string;
}

/** `merkle launch` sets both for the shells of its agent. One alone is only a default. */
function agentOf({ session, team }: Acting["config"]): Agent | undefined {
  return session === undefined || team === undefined ? undefined : { session, team };
}

/** A person whom the broker does not know, because it was restored to an earlier day, is made again. */
function asPerson({ broker, config }: Acting): Actor {
  return {
    async call(name, input) {
      const person = await findOwnPerson(broker, config);
      try {
        if (person) return await broker.as(person.credential).call(name, input);
      } catch (error) {
        if (!isUnauthorized(error)) throw error;
      }
      const { readOnly, access } = rulesOf(name);
      if (readOnly && access === "team") throw nobodyYet(broker);
      if (readOnly) return broker.call(name, input);
      if (person) await setPersonAside(config, person);
      return writeAsNew({ broker, config }, (as) => as.call(name, input));
    },
  };
}

function nobodyYet({ base }: BrokerClient): CliError {
  return new CliError(
    "not_found",
    `You have not joined yet at ${base}: your first message, session or decision there adds you. Until then nothing is stored about you.`,
    { exitCode: exitCodes.not_found, next: ["merkle whoami"] },
  );
}

async function asHeldTeam(session: Session, team: string, { broker, config }: Acting): Promise<Actor> {
  if (![session.slug, session.session_id, session.title].includes(config.session ?? "")) {
    throw elsewhere({ session: config.session ?? "", team });
  }
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const held = await findOwnPeer({ meshId, sessionId: session.session_id, team }, config);
  if (held) return broker.as(held.credential);
  throw new CliError(
    "not_found",
    `This machine has no credential for the team ${JSON.stringify(team)} (MERKLE_TEAM) in ${session.slug}.`,
    {
      exitCode: exitCodes.not_found,
      next: [
        `merkle launch --session ${session.slug} --team ${shellWord(team)}`,
        "unset MERKLE_TEAM to post as yourself",
      ],
    },
  );
}

/** The very place of the shell's agent; without one, as in a shell that was set up by hand, the team's own if it is held. */
async function findOwnPeer(
  { meshId, sessionId, team }: { meshId: string; sessionId: string; team: string },
  { home, peer }: Acting["config"],
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

function elsewhere({ session, team }: Agent): CliError {
  return usageError(
    `This is the shell of ${JSON.stringify(team)} in ${session} (MERKLE_TEAM, MERKLE_SESSION), which can post only there.`,
    "unset MERKLE_TEAM MERKLE_SESSION to post as yourself",
  );
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "unauthorized";
}

/** The writer of what belongs to the mesh: in the shell of a launched agent its place, anywhere else the person of this home. */
export async function actingInMesh(acting: Acting): Promise<Actor> {
  const { session, team } = acting.config;
  if (session === undefined || team === undefined) return actingAsPerson(acting);
  return actingIn(await getSession(acting.broker, undefined, acting.config), acting);
}
