"use client";

import type { OutputOf } from "@merkle/wire";
import { RotateCw, ShieldCheck, ShieldEllipsis, Stamp } from "lucide-react";
import { useEffect, useState } from "react";
import { useRead } from "@/broker/use-read";
import { type FactEntry, FactList } from "@/components/fact-list";
import { HashText } from "@/components/hash-text";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { Verdict } from "@/components/verdict";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { lazyPart } from "@/core/lazy-part";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Skeleton } from "@/ui/skeleton";

const VerifySheet = lazyPart(() => import("@/features/verify/api"), "VerifySheet");

type Seal = OutputOf<"session_seal">;
type Head = Seal["head"];

/**
 * The signed head of the record: the head that the conclusion signed, or otherwise the current head. It can be verified
 * in this browser.
 */
export function SealCard() {
  const { session } = useSession();
  const { data, problem, refresh } = useRead("session_seal", { session_id: session.session_id });
  const sealedSize = session.seal?.size ?? 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again after a new seal.
  useEffect(refresh, [refresh, sealedSize]);
  const [check] = useQueryParam("check");
  const [verifiedAt, setVerifiedAt] = useState<string | null>(null);
  const verify = () => setQuery({ check: "1" });
  usePaletteAction({
    id: "verify-session",
    label: "Verify this session here",
    keywords: ["seal", "proof"],
    run: verify,
  });
  return (
    <section aria-labelledby="seal">
      <h2 id="seal" className="mb-2 text-lg font-semibold">
        Seal
      </h2>
      {problem && (
        <ProblemAlert
          title="Couldn't load the seal."
          problem={problem}
          stillWorks={data ? undefined : "Exports still work."}
          isStale={data !== undefined}
          onRetry={refresh}
          className="mb-2"
        />
      )}
      {data === undefined ? (
        problem === undefined && <Skeleton className="h-56" />
      ) : (
        <div className="grid gap-3 rounded-lg border px-4 py-3">
          {data.seals[0] === undefined ? (
            <Unsealed head={data.head} onRefresh={refresh} />
          ) : (
            <Sealed seal={data} sealed={data.seals[0]} />
          )}
          {verifiedAt !== null && (
            <Verdict
              tone="holds"
              title={
                <>
                  Verified in this browser <TimeText at={verifiedAt} as="clock" />
                </>
              }
            />
          )}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t pt-3">
            <Button onClick={verify} aria-haspopup="dialog">
              <ShieldCheck aria-hidden /> Verify here
            </Button>
            <span className="min-w-0 flex-1 basis-40 text-sm text-muted-foreground">
              Downloads the export and recomputes everything in this browser.
            </span>
          </div>
        </div>
      )}
      {check !== null && (
        <VerifySheet
          onClose={() => setQuery({ check: null })}
          onVerified={(isValid) => setVerifiedAt(isValid ? new Date().toISOString() : null)}
        />
      )}
    </section>
  );
}

function Sealed({ seal: { session_id, seals }, sealed }: { readonly seal: Seal; readonly sealed: Head }) {
  const sealer = useSealer(session_id, sealed.size);
  return (
    <>
      <p className="flex items-center gap-2 font-medium">
        <Stamp aria-hidden className="size-5 text-muted-foreground" />
        <span>
          Sealed
          {sealer !== null && (
            <>
              {" "}
              by <bdi>{showHidden(sealer)}</bdi>
            </>
          )}{" "}
          <TimeText at={sealed.at} as="clock" />
        </span>
      </p>
      <FactList facts={listFacts(sealed)} />
      {seals.length > 1 && (
        <p className="text-sm text-muted-foreground">
          The conclusion was revised: this is the newest of {seals.length} seals. Each earlier one covers the
          beginning of the same record.
        </p>
      )}
    </>
  );
}

function Unsealed({ head, onRefresh }: { readonly head: Head; readonly onRefresh: () => void }) {
  return (
    <>
      <p className="flex items-center gap-2 font-medium">
        <ShieldEllipsis aria-hidden className="size-5 text-muted-foreground" />
        <span className="flex-1">Not sealed yet</span>
        <Button variant="ghost" size="sm" onClick={onRefresh}>
          <RotateCw aria-hidden /> Refresh
        </Button>
      </p>
      <p className="text-sm text-muted-foreground">
        Concluding the session seals it. For now, the broker has signed this:
      </p>
      <FactList facts={listFacts(head)} />
    </>
  );
}

function listFacts({ size, root, document, at, key_id }: Head): readonly FactEntry[] {
  return [
    {
      name: "Root",
      value: (
        <span className="flex items-start gap-1">
          <HashText hash={root} isWhole />
          <CopyButton isCompact text={root} contentName="root" />
        </span>
      ),
    },
    { name: "Messages", value: size.toLocaleString("en-GB") },
    { name: "Document", value: document.version === 0 ? "empty" : `v${document.version}` },
    { name: "Signed", value: <TimeText at={at} as="clock" /> },
    { name: "Signed by", value: <HashText hash={key_id} isWhole /> },
  ];
}

/** Returns the team that concluded the session, according to the first message after the sealed messages. */
function useSealer(sessionId: string, size: number): string | null {
  const { data } = useRead("get_history", { session_id: sessionId, after_cursor: size, limit: 1 });
  const by = data?.messages[0]?.["by"];
  return typeof by === "string" ? by : null;
}
