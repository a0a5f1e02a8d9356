"use client";

import { useEffect, useState } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { useSession } from "@/sessions/session-context";
import { Alert, AlertDescription, AlertTitle } from "@/ui/alert";
import { Sheet, SheetContent, SheetHeader, SheetTitle } from "@/ui/sheet";
import { Skeleton } from "@/ui/skeleton";
import { readBrokerKeys } from "./check/broker-keys";
import { type CheckedProof, checkProof } from "./check/check-proof";
import { parseProof } from "./check/parse-proof";
import { getSeenHeads } from "./check/seen-heads";
import { ProofReport } from "./proof-report";

export interface ProofSheetProps {
  /** The sequence of the message. */
  readonly sequence: number;
  readonly onClose: () => void;
}

/** The proof that a message is in the record. Nothing is shown as valid before this browser has checked it. */
export function ProofSheet({ sequence, onClose }: ProofSheetProps) {
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent aria-describedby={undefined} className="max-w-xl">
        <SheetHeader>
          <SheetTitle>Proof of message {sequence}</SheetTitle>
        </SheetHeader>
        <Proof sequence={sequence} />
      </SheetContent>
    </Sheet>
  );
}

function Proof({ sequence }: { readonly sequence: number }) {
  const { session } = useSession();
  const { session_id, seal } = session;
  // If the seal covers the message, the proof is for the seal. Otherwise it is for the current head.
  const size = seal !== null && sequence <= seal.size ? { size: seal.size } : {};
  const { data, problem, refresh } = useRead("session_proof", { session_id, sequence, ...size });
  const checked = useChecked(data, sequence);
  if (problem) {
    return <ProblemAlert title="Couldn't load the proof." problem={problem} onRetry={refresh} />;
  }
  if (checked === null) return <Skeleton className="h-64" />;
  if (checked instanceof Error) {
    return (
      <Alert role="alert">
        <AlertTitle>The broker's answer is not a valid proof.</AlertTitle>
        <AlertDescription className="break-words">{checked.message}</AlertDescription>
      </Alert>
    );
  }
  return (
    <div className="grid gap-4">
      {"size" in size || <NotSealed />}
      <ProofReport checked={checked} />
    </div>
  );
}

function NotSealed() {
  const { session } = useSession();
  return (
    <p role="note" className="rounded-md border bg-surface px-3 py-2 text-sm">
      <span className="font-medium">Not sealed yet.</span>{" "}
      {session.seal === null
        ? "This proof is for the record as it is now, signed by the broker. Concluding the session seals it."
        : "The message came after the seal. This proof is for the record as it is now, signed by the broker."}
    </p>
  );
}

/** Checks a proof from the broker. Returns null until the check is done. */
function useChecked(answer: unknown, sequence: number): CheckedProof | Error | null {
  const [checked, setChecked] = useState<CheckedProof | Error | null>(null);
  useEffect(() => {
    if (answer === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    void check(answer, { sequence, signal })
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((result) => !signal.aborted && setChecked(result));
    return () => controller.abort();
  }, [answer, sequence]);
  return checked;
}

async function check(
  answer: unknown,
  { sequence, signal }: { readonly sequence: number; readonly signal: AbortSignal },
): Promise<CheckedProof> {
  const proof = parseProof(answer);
  const { log, number } = proof.inclusion;
  if (log !== "feed" || number !== sequence)
    throw new Error(`It is for ${log} ${number}, which was not requested.`);
  const seenKeys = getSeenHeads()[proof.record_id]?.keys ?? [];
  return checkProof(proof, [...seenKeys, ...(await readBrokerKeys(signal))]);
}
