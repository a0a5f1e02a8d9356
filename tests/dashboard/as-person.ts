import { makePerson } from "../kit/persons.js";
import type { ProfileOptions } from "../kit/profiles.js";
import { bareId } from "../kit/session.js";
import type { TransportClient } from "../kit/transports.js";

/** Returns a browser profile for a new person with this name. */
export async function asPerson(
  transport: TransportClient,
  url: string,
  name: string,
): Promise<ProfileOptions> {
  const { person_id: credential } = await makePerson(transport, name);
  const value = JSON.stringify({ id: bareId(credential), name, credential, verified: true });
  const localStorage = [{ name: "merkle.person", value }];
  return { storageState: { cookies: [], origins: [{ origin: url, localStorage }] } };
}
