"use client";

import { ShieldAlert } from "lucide-react";
import { usePathname } from "next/navigation";
import { useCallback, useEffect, useState } from "react";
import { PageLink } from "@/components/page-link";
import type { SessionFacts } from "@/components/session/session-context";
import {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
} from "@/components/ui/alert-dialog";
import { Button } from "@/components/ui/button";
import { useBroker } from "@/lib/broker/use-broker";
import type { Comparison } from "@/lib/record/compare-head";
import { forgetHead, getSeenHeads } from "@/lib/record/seen-heads";

type Different = Extract<Comparison, { is: "different" }>;

/**
 * Compares what the broker signs of this session with what this browser saw of it before, and keeps it for the next time. It
 * is silent until the two do not fit each other; then nothing on the page is louder.
 */
export function HeadWatch({ session }: { readonly session: SessionFacts["session"] }) {
  const broker = useBroker();
  const pathname = usePathname();
  const [different, setDifferent] = useState<Different | null>(null);
  const { session_id, seal } = session;
  // What nobody has looked at is not signed for the sake of it: a head of an open session is one more that is kept.
  const isWanted = seal !== null || pathname.endsWith("/audit") || session_id in getSeenHeads();
  const sealedSize = seal?.size ?? 0;

  const compare = useCallback(
    async (signal: AbortSignal) => {
      const { compareHead } = await import("@/lib/record/compare-head");
      const comparison = await compareHead({ broker, sessionId: session_id, signal });
      if (!signal.aborted) setDifferent(comparison.is === "different" ? comparison : null);
    },
    [broker, session_id],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new seal is a new head to compare.
  useEffect(() => {
    if (!isWanted) return;
    const controller = new AbortController();
    // A broker that does not answer shows nothing; the next look will.
    compare(controller.signal).catch(() => undefined);
    return () => controller.abort();
  }, [compare, isWanted, sealedSize]);

  if (different === null) return null;
  return (
    <DifferentRecord
      slug={session.slug}
      different={different}
      onBelieve={() => {
        forgetHead(different.recordId);
        setDifferent(null);
        compare(new AbortController().signal).catch(() => undefined);
      }}
    />
  );
}

interface DifferentRecordProps {
  readonly slug: string;
  readonly different: Different;
  readonly onBelieve: () => void;
}

function DifferentRecord({ slug, different, onBelieve }: DifferentRecordProps) {
  const [isAsked, setAsked] = useState(false);
  const { seen, later, why } = different;
  return (
    <section
      role="alert"
      aria-label="The record was changed"
      className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-2 border-b-2 border-danger bg-danger-surface px-4 py-3 lg:px-6"
    >
      <ShieldAlert aria-hidden className="size-6 text-danger" />
      <div className="min-w-0 break-words">
        <p className="text-lg font-semibold text-danger">
          This is not the record that this browser saw before.
        </p>
        <p>{why}</p>
        <p className="text-muted-foreground">
          Do not rely on what is shown. Keep what was seen, export the session, and ask who runs the broker
          whether its database was restored or changed.
        </p>
      </div>
      <div className="col-start-2 flex flex-wrap gap-2">
        <Button asChild size="sm">
          <a
            download={`${slug}-seen.json`}
            href={`data:application/json,${encodeURIComponent(JSON.stringify({ seen, later }, null, 2))}`}
          >
            Save what was seen
          </a>
        </Button>
        <Button asChild size="sm" variant="outline">
          <PageLink href={`/sessions/${slug}/audit`}>Open the audit</PageLink>
        </Button>
        <Button size="sm" variant="outline" onClick={() => setAsked(true)}>
          Believe the broker…
        </Button>
      </div>
      <AlertDialog open={isAsked} onOpenChange={setAsked}>
        <AlertDialogContent>
          <AlertDialogTitle>Believe the broker from here on?</AlertDialogTitle>
          <AlertDialogDescription>
            What this browser saw before is forgotten, and what the broker signs now takes its place. Do this
            only when you know why the record is another one.
          </AlertDialogDescription>
          <AlertDialogFooter>
            <AlertDialogCancel>Keep the warning</AlertDialogCancel>
            <AlertDialogAction onClick={onBelieve}>Believe the broker</AlertDialogAction>
          </AlertDialogFooter>
        </AlertDialogContent>
      </AlertDialog>
    </section>
  );
}
