"use client";

import { usePathname } from "next/navigation";
import { lazy, Suspense, useSyncExternalStore } from "react";
import { useSession } from "@/components/session/session-context";
import { useQueryParam } from "@/lib/query/use-query-param";
import { isSettled, onSettled } from "@/lib/settled";

const ProofSheet = lazy(() => import("./proof-sheet").then(({ ProofSheet }) => ({ default: ProofSheet })));
const HeadWatch = lazy(() => import("./head-watch").then(({ HeadWatch }) => ({ default: HeadWatch })));

/** What every tab of a session has of its record: the proof that the address asks for, and the watch over what was signed. */
export function SessionRecord() {
  const { session } = useSession();
  const [proof, setProof] = useQueryParam("proof");
  const hasSettled = useSyncExternalStore(onSettled, isSettled, () => false);
  const isAudit = usePathname().endsWith("/audit");
  const sequence = Number(proof);
  return (
    <>
      {/* Each waits for its own part: the one that comes late must not take the other out of sight. */}
      <Suspense>{(hasSettled || isAudit) && <HeadWatch session={session} />}</Suspense>
      <Suspense>
        {Number.isSafeInteger(sequence) && sequence > 0 && (
          <ProofSheet sequence={sequence} onClose={() => setProof(null)} />
        )}
      </Suspense>
    </>
  );
}
