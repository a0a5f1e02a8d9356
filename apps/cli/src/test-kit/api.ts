import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { createBrokerClient } from "../broker/broker-client.js";
import { toReach } from "../broker/reach.js";
import { findPerson } from "../home/persons.js";
import type { TestMerkle } from "./merkle.js";

/**
 * Calls an operation of the test's broker directly, as the member of the test's home or, with a credential,
 * as a team.
 */
export async function callBroker<Name extends OperationName>(
  merkle: TestMerkle,
  name: Name,
  input: InputOf<Name>,
  credential?: string,
): Promise<OutputOf<Name>> {
  const { url } = await merkle.readRunFile();
  const reach = toReach({
    home: merkle.home,
    insecure: false,
    ca: undefined,
    mesh: undefined,
    token: undefined,
  });
  const client = createBrokerClient({ base: url, source: "--url", reach }, new AbortController().signal);
  return (credential === undefined ? client : client.as(credential)).call(name, input);
}

/** Returns the credential of the test home's person. Undefined before the first write from the home. */
export async function ownCredential(merkle: TestMerkle): Promise<string | undefined> {
  const { mesh_id: meshId } = await callBroker(merkle, "get_app_info", {});
  return (await findPerson(merkle, meshId))?.credential;
}
