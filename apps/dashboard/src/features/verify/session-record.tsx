"use client";

import { usePathname } from "next/navigation";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { isSettled, onSettled } from "@/core/settled";
import { useSession } from "@/sessions/session-context";
import { HeadWatch } from "./head-watch";

const ProofSheet = lazy(() => import("./proof-sheet").then(({ ProofSheet }) => ({ default: ProofSheet })));

/** The record's part of every tab of a session: the proof that the address asks for, and the watch over what was signed. */
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
          <Suspense>
            <ProofSheet sequence={sequence} onClose={() => setProof(null)} />
          </Suspense>
        </PanelBoundary>
      )}
    </>
  );
}
