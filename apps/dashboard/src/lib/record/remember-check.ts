import { rememberHead } from "./seen-heads";
import type { CheckResult } from "./verify-protocol";

/** Keeps what a check found to hold, where the key that signed it is known; one that is new is for the person to believe. */
export function rememberCheck(result: CheckResult): void {
  if (result.what !== "bundle") return;
  const { ok, head, signed_by } = result.report;
  const isKnown = signed_by?.trust === "known" || signed_by?.trust === "succeeds a known one";
  if (ok && isKnown && head !== null) rememberHead({ head, keys: result.keys });
}
