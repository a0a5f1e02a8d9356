"use client";

import { usePathname } from "next/navigation";
import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { useBroker } from "@/broker/use-broker";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { lazyPart } from "@/core/lazy-part";
import { isSettled, onSettled } from "@/core/settled";
import { type SessionFacts, useSession } from "@/sessions/session-context";
import type { DifferentHeads } from "./check/compare-head";
import { deleteSeenHead, getSeenHeads } from "./check/seen-heads";

const ProofSheet = lazyPart(() => import("./proof-sheet"), "ProofSheet");

/** Mounted on every tab of a session: shows the proof that the URL names, and compares signed heads. */
export function SessionRecord() {
  const { session } = useSession();
  const [proof, setProof] = useQueryParam("proof");
  const hasSettled = useSyncExternalStore(onSettled, isSettled, () => false);
  const isAudit = usePathname().endsWith("/audit");
  const sequence = Number(proof);
  return (
    <>
      {(hasSettled || isAudit) && <HeadWatch session={session} />}
      {Number.isSafeInteger(sequence) && sequence > 0 && (
        <PanelBoundary title="Proof">
          <ProofSheet sequence={sequence} onClose={() => setProof(null)} />
        </PanelBoundary>
      )}
    </>
  );
}

const DifferentRecord = lazyPart(() => import("./different-record"), "DifferentRecord");

/**
 * Compares the session's signed head with the head that this browser has seen before, and stores it for the next
 * comparison. Shows a prominent warning if the heads are inconsistent, and otherwise nothing.
 */
function HeadWatch({ session }: { readonly session: SessionFacts["session"] }) {
  const broker = useBroker();
  const pathname = usePathname();
  const [differentHeads, setDifferentHeads] = useState<DifferentHeads | null>(null);
  const { session_id, seal } = session;
  // Each request for an open session makes the broker sign and store a head. So the head is requested only for sealed
  // sessions, on the audit page, and for sessions whose head this browser has stored.
  const isWanted = seal !== null || pathname.endsWith("/audit") || session_id in getSeenHeads();
  const sealedSize = seal?.size ?? 0;

  const compare = useCallback(
    async (signal: AbortSignal) => {
      const { compareHead } = await import("./check/compare-head");
      const comparison = await compareHead({ broker, sessionId: session_id, signal });
      if (!signal.aborted) setDifferentHeads(comparison.is === "different" ? comparison : null);
    },
    [broker, session_id],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new seal is a new head to compare.
  useEffect(() => {
    if (!isWanted) return;
    const controller = new AbortController();
    // If the broker does not answer, show nothing until the next comparison.
    compare(controller.signal).catch(() => undefined);
    return () => controller.abort();
  }, [compare, isWanted, sealedSize]);

  if (differentHeads === null) return null;
  return (
    <DifferentRecord
      slug={session.slug}
      different={differentHeads}
      onTrust={() => {
        deleteSeenHead(differentHeads.recordId);
        setDifferentHeads(null);
        compare(new AbortController().signal).catch(() => undefined);
      }}
    />
  );
}
