import { getOperationRules, type OperationName } from "@merkle/wire";

/**
 * True if the operation accepts a person's credential. Load this module after the page, because it contains the rules
 * of all operations.
 */
export function takesCredential(name: OperationName): boolean {
  return !getOperationRules(name).withoutCredential;
}
