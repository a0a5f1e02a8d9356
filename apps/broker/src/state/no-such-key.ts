import { MerkleError } from "@merkle/wire";
import type { StateScope } from "./state-scope.js";

export function noSuchKey(key: string, scope: StateScope): MerkleError {
  return new MerkleError(
    "not_found",
    `No key "${key}" was ever set in the state of this ${scope}. list_state shows those there are.`,
    { key, scope },
  );
}
