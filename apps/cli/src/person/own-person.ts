import { hostname, userInfo } from "node:os";
import { limits, parseTeamCredential } from "@merkle/wire/plain";
import type { BrokerClient } from "../broker-client.js";
import type { Config } from "../config.js";
import { meetMesh } from "../trust/require-known.js";
import { findPerson, type HeldPerson, keepPerson } from "./held-person.js";

/** The person of this home in the broker's mesh, made when there is none yet (CLI-11). */
export async function getOwnPerson(
  broker: Pick<BrokerClient, "call" | "address">,
  config: Pick<Config, "home" | "personName">,
): Promise<HeldPerson> {
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const found = await findPerson(config.home, meshId);
  if (found) return found;
  const made = await broker.call("create_person", { name: config.personName ?? systemUserName() });
  return keepPerson(config.home, {
    mesh_id: meshId,
    person_id: bareId(made.person_id),
    name: made.name,
    credential: made.person_id,
  });
}

/** The name that the system's user goes by; the machine's where the user has none. */
export function systemUserName(): string {
  let name = "";
  try {
    name = userInfo().username;
  } catch {
    // A container may run as a number that no user has.
  }
  const plain = name.replace(/[\p{Cc}\u2028\u2029]/gu, "").trim();
  return (plain || hostname()).slice(0, limits.nameCharsMax);
}

function bareId(credential: string): string {
  const parsed = parseTeamCredential(credential);
  if (!parsed) throw new Error("The broker gave a person's credential of another form.");
  return parsed.teamId;
}
