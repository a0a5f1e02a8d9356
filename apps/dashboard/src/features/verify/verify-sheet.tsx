"use client";

import { describeBytes } from "@merkle/wire/text";
import { useEffect, useRef, useState } from "react";
import { fetchExport } from "@/features/export/api";
import { useSession } from "@/sessions/session-context";
import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { Button } from "@/ui/button";
import { Sheet, SheetContent, SheetHeader, SheetTitle } from "@/ui/sheet";
import { readBrokerKeys } from "./check/broker-keys";
import { storeCheckedHead } from "./check/remember-check";
import { getSeenHeads } from "./check/seen-heads";
import { CheckOutcome } from "./check-outcome";
import { useVerifier } from "./use-verifier";

export interface VerifySheetProps {
  readonly onClose: () => void;
  /** Called with true if the record passed and this browser knows its key. */
  readonly onVerified: (holds: boolean) => void;
}

/** Downloads the session's export and checks it in this browser. */
export function VerifySheet({ onClose, onVerified }: VerifySheetProps) {
  const { session } = useSession();
  const { state, check, run } = useVerifier();
  const [fetchedBytes, setFetchedBytes] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const { slug } = session;
  const latestOnVerified = useRef(onVerified);
  useEffect(() => {
    latestOnVerified.current = onVerified;
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts over.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setProblem(null);
    setFetchedBytes(0);
    void (async () => {
      const [keys, file] = await Promise.all([
        readBrokerKeys(signal),
        fetchExport(slug, { signal, onBytes: setFetchedBytes }),
      ]);
      const result = await run(
        `${slug}.zip`,
        { what: "bundle", file },
        { brokerKeys: keys, seen: getSeenHeads() },
      );
      if (result) latestOnVerified.current(storeCheckedHead(result));
    })().catch((error: unknown) => {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => controller.abort();
  }, [slug, run, attempt]);

  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent aria-describedby={undefined} className="max-w-xl">
        <SheetHeader>
          <SheetTitle>Verify here</SheetTitle>
          <p className="text-sm text-muted-foreground">
            This browser downloads the export, which anyone here can have, and recomputes every hash.
          </p>
        </SheetHeader>
        {problem !== null || state === "missing" ? (
          <Alert role="alert">
            <AlertTitle>Couldn't check the record.</AlertTitle>
            <AlertDescription className="grid justify-items-start gap-2">
              <span>
                {problem ?? "Couldn't load the verifier."} This doesn’t mean that anything is wrong.
              </span>
              <Button variant="outline" size="sm" onClick={() => setAttempt((now) => now + 1)}>
                Try again
              </Button>
            </AlertDescription>
          </Alert>
        ) : check.status === "none" ? (
          <p role="status" className="text-muted-foreground tabular-nums">
            Downloading the export… {fetchedBytes > 0 && describeBytes(fetchedBytes)}
          </p>
        ) : (
          <CheckOutcome check={check} />
        )}
      </SheetContent>
    </Sheet>
  );
}
