import { MerkleError } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { type Person, setPerson } from "./person";
import { forgetVerificationCode, getVerificationCode } from "./verification";

/**
 * Creates a person on the broker and stores it in this browser.
 *
 * @throws MerkleError conflict if the name is taken
 */
export async function createPerson(broker: Broker, name: string): Promise<Person> {
  const made = await callCreatePerson(broker, name);
  // A credential has the form `<id>.mk_<secret>`.
  const person = {
    id: made.person_id.split(".")[0] ?? "",
    name: made.name,
    credential: made.person_id,
    verified: made.verified,
  };
  setPerson(person);
  return person;
}

/** Creates the person as verified if a verification link was opened. With an expired link the person becomes a guest. */
async function callCreatePerson(broker: Broker, name: string) {
  const code = getVerificationCode();
  if (code === null) return broker.call("create_person", { name });
  try {
    const made = await broker.call("create_person", { name, code });
    forgetVerificationCode();
    return made;
  } catch (error) {
    if (!(error instanceof MerkleError && error.code === "forbidden")) throw error;
    forgetVerificationCode();
    return broker.call("create_person", { name });
  }
}
