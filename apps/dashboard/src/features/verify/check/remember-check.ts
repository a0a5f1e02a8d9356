import { storeSeenHead } from "./seen-heads";
import type { CheckResult } from "./verify-protocol";

/**
 * Stores the head of a record that passed its check, if the signing key is known. Returns whether it was stored. A new key needs
 * the person's confirmation.
 */
export function storeCheckedHead(result: CheckResult): boolean {
  if (result.what !== "bundle") return false;
  const { ok, head, signed_by } = result.report;
  const isKnown = signed_by?.trust === "known" || signed_by?.trust === "succeeds a known one";
  if (!ok || !isKnown || head === null) return false;
  storeSeenHead({ head, keys: result.keys });
  return true;
}
