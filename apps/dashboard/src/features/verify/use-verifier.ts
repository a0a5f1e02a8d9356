"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { startVerifier, type Verifier } from "./check/verifier";
import type { Checkable, CheckResult, TrustedData } from "./check/verify-protocol";

/** The state of a check. */
export type CheckState =
  | { readonly status: "none" }
  | { readonly status: "checking"; readonly name: string; readonly share: number }
  | { readonly status: "checked"; readonly name: string; readonly result: CheckResult }
  /** The file or text cannot be checked. */
  | { readonly status: "unusable"; readonly name: string; readonly reason: string };

export interface VerifierHandle {
  /** Whether everything that a check needs is loaded in this browser. */
  readonly state: "loading" | "ready" | "missing";
  readonly check: CheckState;
  run(name: string, what: Checkable, believed: TrustedData): Promise<CheckResult | null>;
  reset(): void;
}

const noCheck: CheckState = { status: "none" };

/** Returns the verifier, which loads when the component mounts. A new check cancels the previous one. */
export function useVerifier(): VerifierHandle {
  const verifier = useRef<Verifier>(null);
  const [state, setState] = useState<VerifierHandle["state"]>("loading");
  const [check, setCheck] = useState<CheckState>(noCheck);
  const latestRun = useRef(0);

  useEffect(() => {
    const startedVerifier = startVerifier();
    verifier.current = startedVerifier;
    let isMounted = true;
    startedVerifier.ready.then(
      () => isMounted && setState("ready"),
      () => isMounted && setState("missing"),
    );
    return () => {
      isMounted = false;
      startedVerifier.stop();
    };
  }, []);

  const run = useCallback(async (name: string, checkable: Checkable, trusted: TrustedData) => {
    latestRun.current += 1;
    const runId = latestRun.current;
    const report = (next: CheckState) => runId === latestRun.current && setCheck(next);
    report({ status: "checking", name, share: 0 });
    try {
      const result = await verifier.current?.check(checkable, trusted, (share) =>
        report({ status: "checking", name, share }),
      );
      if (result === undefined) return null;
      report({ status: "checked", name, result });
      return runId === latestRun.current ? result : null;
    } catch (error) {
      report({ status: "unusable", name, reason: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }, []);

  const reset = useCallback(() => {
    latestRun.current += 1;
    verifier.current?.cancel();
    setCheck(noCheck);
  }, []);

  return { state, check, run, reset };
}
