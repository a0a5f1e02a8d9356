import { type OperationName, rulesOf } from "@merkle/wire";

/** Whether a person's credential goes along with the operation. The rules of all operations load after the page. */
export function takesCredential(name: OperationName): boolean {
  return !rulesOf(name).withoutCredential;
}
