import { makePerson } from "../kit/persons.js";
import type { ProfileOptions } from "../kit/profiles.js";
import { toBareId } from "../kit/session.js";
import type { TransportClient } from "../kit/transports.js";

/** Returns a browser profile for a new person with this name. */
export async function createPersonProfile(
  transport: TransportClient,
  url: string,
  name: string,
): Promise<ProfileOptions> {
  const { person_id: credential } = await makePerson(transport, name);
  const value = JSON.stringify({ id: toBareId(credential), name, credential, verified: true });
  const localStorage = [{ name: "merkle.person", value }];
  return { storageState: { cookies: [], origins: [{ origin: url, localStorage }] } };
}
