import { rememberHead } from "./seen-heads";
import type { CheckResult } from "./verify-protocol";

/**
 * Keeps what a check found to hold, where the key that signed it is known, and tells whether that is so; a key that is new is
 * for the person to believe.
 */
export function rememberCheck(result: CheckResult): boolean {
  if (result.what !== "bundle") return false;
  const { ok, head, signed_by } = result.report;
  const isKnown = signed_by?.trust === "known" || signed_by?.trust === "succeeds a known one";
  if (!ok || !isKnown || head === null) return false;
  rememberHead({ head, keys: result.keys });
  return true;
}
