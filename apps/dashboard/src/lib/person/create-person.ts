import type { Broker } from "@/lib/broker/broker";
import { type Person, setPerson } from "./person";

/**
 * Makes a person on the broker and keeps it in this browser.
 *
 * @throws MerkleError conflict when the name is taken
 */
export async function createPerson(broker: Broker, name: string): Promise<Person> {
  const made = await broker.call("create_person", { name });
  // A credential is `<id>.mk_<secret>`.
  const person = { id: made.person_id.split(".")[0] ?? "", name: made.name, credential: made.person_id };
  setPerson(person);
  return person;
}
