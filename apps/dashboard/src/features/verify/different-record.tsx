"use client";

import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { PageLink } from "@/components/page-link";
import {
  AlertDialog,
  AlertDialogAction,
  AlertDialogCancel,
  AlertDialogContent,
  AlertDialogDescription,
  AlertDialogFooter,
  AlertDialogTitle,
} from "@/ui/alert-dialog";
import { Button } from "@/ui/button";
import type { DifferentHeads } from "./check/compare-head";

interface DifferentRecordProps {
  readonly slug: string;
  readonly different: DifferentHeads;
  readonly onTrust: () => void;
}

/** Warns that a record does not extend the one that this browser saw before, and offers the possible actions. */
export function DifferentRecord({ slug, different, onTrust }: DifferentRecordProps) {
  const [isConfirming, setConfirming] = useState(false);
  const { seenHead, laterHead, reason } = different;
  return (
    <section
      role="alert"
      aria-label="Record changed"
      className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-2 border-b-2 border-danger bg-danger-surface px-4 py-3 lg:px-6"
    >
      <ShieldAlert aria-hidden className="size-6 text-danger" />
      <div className="min-w-0 break-words">
        <p className="text-lg font-semibold text-danger">This is not the record this browser saw before.</p>
        <p>{reason}</p>
        <p className="text-muted-foreground">
          Don’t rely on what is shown. Save what this browser saw, export the session, and ask the person who
          runs the broker whether its database was restored or changed.
        </p>
      </div>
      <div className="col-start-2 flex flex-wrap gap-2">
        <Button asChild size="sm">
          <a
            download={`${slug}-seen.json`}
            href={`data:application/json,${encodeURIComponent(JSON.stringify({ seen: seenHead, later: laterHead }, null, 2))}`}
          >
            Save what this browser saw
          </a>
        </Button>
        <Button asChild size="sm" variant="outline">
          <PageLink href={`/sessions/${slug}/audit`}>Open audit</PageLink>
        </Button>
        <Button size="sm" variant="outline" onClick={() => setConfirming(true)}>
          Trust the broker…
        </Button>
      </div>
      <AlertDialog open={isConfirming} onOpenChange={setConfirming}>
        <AlertDialogContent>
          <AlertDialogTitle>Trust the broker from now on?</AlertDialogTitle>
          <AlertDialogDescription>
            This browser forgets what it saw before and accepts what the broker signs now. Do this only if you
            know why the record changed.
          </AlertDialogDescription>
          <AlertDialogFooter>
            <AlertDialogCancel>Cancel</AlertDialogCancel>
            <AlertDialogAction onClick={onTrust}>Trust the broker</AlertDialogAction>
          </AlertDialogFooter>
        </AlertDialogContent>
      </AlertDialog>
    </section>
  );
}
