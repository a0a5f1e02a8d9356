"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { startVerifier, type Verifier } from "./check/verifier";
import type { Checkable, CheckResult, TrustedData } from "./check/verify-protocol";

/** The state of a check. */
export type Check =
  | { readonly status: "none" }
  | { readonly status: "checking"; readonly name: string; readonly share: number }
  | { readonly status: "checked"; readonly name: string; readonly result: CheckResult }
  /** The file or text cannot be checked. */
  | { readonly status: "unusable"; readonly name: string; readonly why: string };

export interface UsedVerifier {
  /** Whether everything that a check needs is loaded in this browser. */
  readonly state: "loading" | "ready" | "missing";
  readonly check: Check;
  run(name: string, what: Checkable, believed: TrustedData): Promise<CheckResult | null>;
  reset(): void;
}

const none: Check = { status: "none" };

/** Returns the verifier, which loads when the component mounts. A new check cancels the previous one. */
export function useVerifier(): UsedVerifier {
  const verifier = useRef<Verifier>(null);
  const [state, setState] = useState<UsedVerifier["state"]>("loading");
  const [check, setCheck] = useState<Check>(none);
  const current = useRef(0);

  useEffect(() => {
    const started = startVerifier();
    verifier.current = started;
    let isThere = true;
    started.ready.then(
      () => isThere && setState("ready"),
      () => isThere && setState("missing"),
    );
    return () => {
      isThere = false;
      started.stop();
    };
  }, []);

  const run = useCallback(async (name: string, what: Checkable, believed: TrustedData) => {
    current.current += 1;
    const own = current.current;
    const tell = (next: Check) => own === current.current && setCheck(next);
    tell({ status: "checking", name, share: 0 });
    try {
      const result = await verifier.current?.check(what, believed, (share) =>
        tell({ status: "checking", name, share }),
      );
      if (result === undefined) return null;
      tell({ status: "checked", name, result });
      return own === current.current ? result : null;
    } catch (error) {
      tell({ status: "unusable", name, why: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }, []);

  const reset = useCallback(() => {
    current.current += 1;
    verifier.current?.giveUp();
    setCheck(none);
  }, []);

  return { state, check, run, reset };
}
