"use client";

import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { PageLink } from "@/components/page-link";
import type { Comparison } from "@/record/verify/compare-head";
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

export type Different = Extract<Comparison, { is: "different" }>;

interface DifferentRecordProps {
  readonly slug: string;
  readonly different: Different;
  readonly onBelieve: () => void;
}

/** Says that a record does not go on from the one that was seen, with what to do. */
export function DifferentRecord({ slug, different, onBelieve }: DifferentRecordProps) {
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
          Trust the broker…
        </Button>
      </div>
      <AlertDialog open={isAsked} onOpenChange={setAsked}>
        <AlertDialogContent>
          <AlertDialogTitle>Trust the broker from here on?</AlertDialogTitle>
          <AlertDialogDescription>
            What this browser saw before is forgotten, and what the broker signs now takes its place. Do this
            only when you know why the record is another one.
          </AlertDialogDescription>
          <AlertDialogFooter>
            <AlertDialogCancel>Keep the warning</AlertDialogCancel>
            <AlertDialogAction onClick={onBelieve}>Trust the broker</AlertDialogAction>
          </AlertDialogFooter>
        </AlertDialogContent>
      </AlertDialog>
    </section>
  );
}
