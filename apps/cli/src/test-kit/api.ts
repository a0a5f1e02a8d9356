import type { InputOf, OperationName, OutputOf } from "@merkle/wire";
import { createBrokerClient } from "../broker-client.js";
import { findPerson } from "../person/held-person.js";
import type { TestMerkle } from "./merkle.js";

/** Calls operations of a test's broker beside the commands; with a credential, as its team. */
export async function callBroker<Name extends OperationName>(
  merkle: TestMerkle,
  name: Name,
  input: InputOf<Name>,
  credential?: string,
): Promise<OutputOf<Name>> {
  const { url } = await merkle.running();
  const client = createBrokerClient({ base: url, source: "--url" }, new AbortController().signal);
  return (credential === undefined ? client : client.as(credential)).call(name, input);
}

/** The credential of this home's person, once somebody has written from it. */
export async function ownCredential(merkle: TestMerkle): Promise<string | undefined> {
  const { mesh_id: meshId } = await callBroker(merkle, "get_app_info", {});
  return (await findPerson(merkle, meshId))?.credential;
}
