import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { MerkleError, type OutputOf, parseTeamCredential } from "@merkle/wire";
import { drawnCredential } from "@merkle/wire/identity";
import type { BrokerClient } from "../broker/broker-client.js";
import { placeOf } from "../broker/reach.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { nodeCrypto } from "../core/node-crypto.js";
import { waitForProcessLock } from "../core/process-lock.js";
import { systemUserName } from "../core/system-user.js";
import { listMembers } from "../home/members.js";
import { findPerson, keepPerson, keepVerified, type StoredPerson } from "../home/persons.js";
import type { Config } from "../settings/config.js";

type Owner = Pick<Config, "home" | "personName" | "agentShell">;

/**
 * Returns this home's person in the broker's mesh, and creates the person if needed. The person is verified
 * if this user runs the broker. In an agent's shell the person is a guest.
 */
export async function getOwnPerson(broker: BrokerClient, config: Owner): Promise<StoredPerson> {
  return (await findOwnPerson(broker, config)) ?? makePerson(broker, config);
}

/**
 * Returns this home's person in the broker's mesh, or null if nothing has been written from this home yet.
 */
export async function findOwnPerson(broker: BrokerClient, config: Owner): Promise<StoredPerson | null> {
  const found = await findPerson(config, await broker.meetMesh());
  return found === null || found.verified === true ? found : verifyOwn(found, broker, config);
}

async function makePerson(broker: BrokerClient, config: Owner): Promise<StoredPerson> {
  const given = await getVerificationCode(broker, config).catch(() => null);
  const made = await broker.call("create_person", {
    name: nameOf(config),
    ...(given && { code: given.code }),
  });
  return keep(made.person_id, made, { broker, config });
}

/** How long a command waits for another command's first write from this home to finish. */
const firstWriteMs = 15_000;

/**
 * Performs the first write from this home. The write creates the person, so a refused write creates no one
 * (CLI-11). If two commands do this at the same time, the second uses the person that the first created.
 */
export async function writeAsNew<Result>(
  { broker, config }: { readonly broker: BrokerClient; readonly config: Owner },
  write: (as: BrokerClient) => Promise<Result>,
): Promise<Result> {
  const { home } = config;
  await explainingHome(home, () => mkdir(home, { recursive: true, mode: 0o700 }));
  const lock = await waitForProcessLock(`${homeFiles.persons(home)}.lock`, firstWriteMs);
  try {
    const found = await findOwnPerson(broker, config);
    if (found) return await write(broker.as(found.credential));
    const given = await getVerificationCode(broker, config).catch(() => null);
    const credential = drawnCredential(randomBytes(32).toString("base64url"), nodeCrypto.sha256);
    const as = broker.asNew({ credential, name: nameOf(config), code: given?.code });
    try {
      return await write(as);
    } catch (error) {
      // The broker requires a credential first, because the broker is older or the member is already a
      // person.
      if (!(error instanceof MerkleError && error.code === "unauthorized")) throw error;
      return await write(broker.as((await makePerson(broker, config)).credential));
    } finally {
      // If the reply was lost, the write may still have succeeded.
      const made = await broker
        .as(credential)
        .call("get_person", {})
        .catch(() => null);
      if (made) await keep(credential, made, { broker, config });
    }
  } finally {
    await lock.release();
  }
}

async function keep(
  credential: string,
  { name, verified }: { readonly name: string; readonly verified: boolean },
  { broker, config }: { readonly broker: BrokerClient; readonly config: Owner },
): Promise<StoredPerson> {
  const mesh_id = await broker.meetMesh();
  return keepPerson(config, { mesh_id, person_id: bareId(credential), name, credential, verified });
}

function nameOf({ personName }: Owner): string {
  return personName ?? systemUserName();
}

/**
 * Verifies the person if this user runs the broker. Otherwise the person remains a guest, who can write too.
 */
async function verifyOwn(person: StoredPerson, broker: BrokerClient, config: Owner): Promise<StoredPerson> {
  const given = await getVerificationCode(broker, config).catch(() => null);
  if (given === null) return person;
  await broker.as(person.credential).call("verify_person", { code: given.code });
  return keepVerified(config, person);
}

/**
 * Returns whether this home's person is verified from the first write on, because the broker runs here or
 * this home is a member.
 */
export async function isVerifiedHere(broker: BrokerClient, config: Owner): Promise<boolean> {
  if (config.agentShell !== undefined) return false;
  if ((await placeOf(broker.base, config.home)) === "home") return true;
  const meshId = await broker.meetMesh();
  return (await listMembers(config.home)).some((each) => each.mesh_id === meshId);
}

function bareId(credential: string): string {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker returned a person's credential in an unknown format.");
  return parsed.teamId;
}

type VerificationCode = OutputOf<"create_verification_code">;

/**
 * Creates a code that verifies a person, if the broker runs on this home (CLI-90). Returns null for other
 * brokers and in agents' shells. The home's key is sent only to the process that wrote the key.
 */
export async function getVerificationCode(
  broker: Pick<BrokerClient, "base" | "call">,
  { home, agentShell }: Pick<Config, "home" | "agentShell">,
): Promise<VerificationCode | null> {
  if (agentShell !== undefined) return null;
  if ((await placeOf(broker.base, home)) !== "home") return null;
  const home_key = await readFile(homeFiles.homeKey(home), "utf8").catch(() => null);
  return home_key === null ? null : broker.call("create_verification_code", { home_key });
}
