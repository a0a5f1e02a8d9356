"use client";

import { usePathname } from "next/navigation";
import { useSyncExternalStore } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { lazyPart } from "@/core/lazy-part";
import { isSettled, onSettled } from "@/core/settled";
import { useSession } from "@/sessions/session-context";
import { HeadWatch } from "./head-watch";

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
