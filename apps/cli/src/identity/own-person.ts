import { readFile } from "node:fs/promises";
import { type OutputOf, parseTeamCredential } from "@merkle/wire";
import type { BrokerClient } from "../broker/broker-client.js";
import { placeOf } from "../broker/reach.js";
import type { Config } from "../config.js";
import { homeFiles } from "../core/merkle-home.js";
import { meetMesh } from "../trust/require-known.js";
import { systemUserName } from "./introduce.js";
import { findPerson, keepPerson, keepVerified, type StoredPerson } from "./persons.js";

/**
 * The person of this home in the broker's mesh, made when there is none yet (CLI-11), and verified where this user runs the
 * broker. In an agent's shell it is a guest.
 */
export async function getOwnPerson(
  broker: BrokerClient,
  config: Pick<Config, "home" | "personName" | "agentShell">,
): Promise<StoredPerson> {
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const found = await findPerson(config, meshId);
  const person = found ?? (await makePerson(broker, config, meshId));
  return person.verified === true ? person : verifyOwn(person, broker, config);
}

async function makePerson(
  broker: BrokerClient,
  config: Pick<Config, "home" | "personName" | "agentShell">,
  meshId: string,
): Promise<StoredPerson> {
  const name = config.personName ?? systemUserName();
  const given = await getVerificationCode(broker, config).catch(() => null);
  const made = await broker.call("create_person", { name, ...(given && { code: given.code }) });
  return keepPerson(config, {
    mesh_id: meshId,
    person_id: bareId(made.person_id),
    name: made.name,
    credential: made.person_id,
    verified: made.verified,
  });
}

/** A person who cannot be verified from here stays a guest, and may still write. */
async function verifyOwn(
  person: StoredPerson,
  broker: BrokerClient,
  config: Pick<Config, "home" | "agentShell">,
): Promise<StoredPerson> {
  const given = await getVerificationCode(broker, config).catch(() => null);
  if (given === null) return person;
  await broker.as(person.credential).call("verify_person", { code: given.code });
  return keepVerified(config, person);
}

function bareId(credential: string): string {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker gave a person's credential of another form.");
  return parsed.teamId;
}

type VerificationCode = OutputOf<"create_verification_code">;

/**
 * A link that verifies a person, where the broker runs on this home (CLI-90); null for any other broker, and in the shell of an
 * agent. The home's key goes to the process alone that wrote it.
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
