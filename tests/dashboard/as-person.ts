import type { Door } from "../kit/doors.js";
import { makePerson } from "../kit/persons.js";
import type { ProfileOptions } from "../kit/profiles.js";
import { bareId } from "../kit/session.js";

/** A browser that a new person of this name uses. */
export async function asPerson(door: Door, url: string, name: string): Promise<ProfileOptions> {
  const { person_id: credential } = await makePerson(door, name);
  const value = JSON.stringify({ id: bareId(credential), name, credential, verified: true });
  const localStorage = [{ name: "merkle.person", value }];
  return { storageState: { cookies: [], origins: [{ origin: url, localStorage }] } };
}
