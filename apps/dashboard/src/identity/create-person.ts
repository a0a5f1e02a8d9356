import { MerkleError } from "@merkle/wire";
import type { Broker } from "@/broker/broker";
import { type Person, setPerson } from "./person";
import { clearVerificationCode, findVerificationCode } from "./verification";

/**
 * Creates a person on the broker and stores it in this browser.
 *
 * @throws MerkleError conflict if the name is taken
 */
export async function createPerson(broker: Broker, name: string): Promise<Person> {
  const reply = await callCreatePerson(broker, name);
  // A credential has the form `<id>.mk_<secret>`.
  const person = {
    id: reply.person_id.split(".")[0] ?? "",
    name: reply.name,
    credential: reply.person_id,
    verified: reply.verified,
  };
  setPerson(person);
  return person;
}

/** Creates the person as verified if a verification link was opened. With an expired link the person becomes a guest. */
async function callCreatePerson(broker: Broker, name: string) {
  const code = findVerificationCode();
  if (code === null) return broker.call("create_person", { name });
  try {
    const reply = await broker.call("create_person", { name, code });
    clearVerificationCode();
    return reply;
  } catch (error) {
    if (!(error instanceof MerkleError && error.code === "forbidden")) throw error;
    clearVerificationCode();
    return broker.call("create_person", { name });
  }
}
