import { type OperationName, rulesOf } from "@merkle/wire";

/** True if the operation accepts a person's credential. The rules of all operations load after the page. */
export function takesCredential(name: OperationName): boolean {
  return !rulesOf(name).withoutCredential;
}
