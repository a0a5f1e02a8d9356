import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { MerkleError, type OutputOf } from "@merkle/wire";
import { derivePersonCredential } from "@merkle/wire/identity";
import type { BrokerClient } from "../broker/broker-client.js";
import { getAddressKey } from "../broker/reach.js";
import { toBareId } from "../core/bare-id.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { nodeCrypto } from "../core/node-crypto.js";
import { waitForProcessLock } from "../core/process-lock.js";
import { getSystemUserName } from "../core/system-user.js";
import { listMembers } from "../home/members.js";
import { findPerson, markVerified, type StoredPerson, savePerson } from "../home/persons.js";
import type { Config } from "../settings/config.js";

type PersonConfig = Pick<Config, "home" | "personName" | "agentShell">;

/**
 * Returns this home's person in the broker's mesh, and creates the person if needed. The person is verified
 * if this user runs the broker. In an agent's shell the person is a guest.
 */
export async function getOwnPerson(broker: BrokerClient, config: PersonConfig): Promise<StoredPerson> {
  return (await findOwnPerson(broker, config)) ?? createPerson(broker, config);
}

/**
 * Returns this home's person in the broker's mesh, or null if nothing has been written from this home yet.
 */
export async function findOwnPerson(
  broker: BrokerClient,
  config: PersonConfig,
): Promise<StoredPerson | null> {
  const person = await findPerson(config, await broker.getTrustedMeshId());
  return person === null || person.verified === true ? person : verifyOwn(person, broker, config);
}

async function createPerson(broker: BrokerClient, config: PersonConfig): Promise<StoredPerson> {
  const verification = await findVerificationCode(broker, config).catch(() => null);
  const created = await broker.call("create_person", {
    name: getPersonName(config),
    ...(verification && { code: verification.code }),
  });
  return storePerson(created.person_id, created, { broker, config });
}

/** How long a command waits for another command's first write from this home to finish. */
const firstWriteMs = 15_000;

/**
 * Performs the first write from this home. The write creates the person, so a refused write creates no one
 * (CLI-11). If two commands do this at the same time, the second uses the person that the first created.
 */
export async function writeAsNew<Result>(
  { broker, config }: { readonly broker: BrokerClient; readonly config: PersonConfig },
  write: (as: BrokerClient) => Promise<Result>,
): Promise<Result> {
  const { home } = config;
  await explainHomeErrors(home, () => mkdir(home, { recursive: true, mode: 0o700 }));
  const lock = await waitForProcessLock(`${homeFiles.persons(home)}.lock`, firstWriteMs);
  try {
    const person = await findOwnPerson(broker, config);
    if (person) return await write(broker.as(person.credential));
    const verification = await findVerificationCode(broker, config).catch(() => null);
    const credential = derivePersonCredential(randomBytes(32).toString("base64url"), nodeCrypto.sha256);
    const as = broker.asNewPerson({ credential, name: getPersonName(config), code: verification?.code });
    try {
      return await write(as);
    } catch (error) {
      // The broker requires a credential first, because the broker is older or the member is already a
      // person.
      if (!(error instanceof MerkleError && error.code === "unauthorized")) throw error;
      return await write(broker.as((await createPerson(broker, config)).credential));
    } finally {
      // If the reply was lost, the write may still have succeeded.
      const created = await broker
        .as(credential)
        .call("get_person", {})
        .catch(() => null);
      if (created) await storePerson(credential, created, { broker, config });
    }
  } finally {
    await lock.release();
  }
}

async function storePerson(
  credential: string,
  { name, verified }: { readonly name: string; readonly verified: boolean },
  { broker, config }: { readonly broker: BrokerClient; readonly config: PersonConfig },
): Promise<StoredPerson> {
  const mesh_id = await broker.getTrustedMeshId();
  return savePerson(config, { mesh_id, person_id: toBareId(credential), name, credential, verified });
}

function getPersonName({ personName }: PersonConfig): string {
  return personName ?? getSystemUserName();
}

/**
 * Verifies the person if this user runs the broker. Otherwise the person remains a guest, who can write too.
 */
async function verifyOwn(
  person: StoredPerson,
  broker: BrokerClient,
  config: PersonConfig,
): Promise<StoredPerson> {
  const verification = await findVerificationCode(broker, config).catch(() => null);
  if (verification === null) return person;
  await broker.as(person.credential).call("verify_person", { code: verification.code });
  return markVerified(config, person);
}

/**
 * Returns whether this home's person is verified from the first write on, because the broker runs here or
 * this home is a member.
 */
export async function isVerifiedHere(broker: BrokerClient, config: PersonConfig): Promise<boolean> {
  if (config.agentShell !== undefined) return false;
  if ((await getAddressKey(broker.base, config.home)) === "home") return true;
  const meshId = await broker.getTrustedMeshId();
  return (await listMembers(config.home)).some((each) => each.mesh_id === meshId);
}

type VerificationCode = OutputOf<"create_verification_code">;

/**
 * Creates a code that verifies a person, if the broker runs on this home (CLI-90). Returns null for other
 * brokers and in agents' shells. The home's key is sent only to the process that wrote the key.
 */
export async function findVerificationCode(
  broker: Pick<BrokerClient, "base" | "call">,
  { home, agentShell }: Pick<Config, "home" | "agentShell">,
): Promise<VerificationCode | null> {
  if (agentShell !== undefined) return null;
  if ((await getAddressKey(broker.base, home)) !== "home") return null;
  const home_key = await readFile(homeFiles.homeKey(home), "utf8").catch(() => null);
  return home_key === null ? null : broker.call("create_verification_code", { home_key });
}
