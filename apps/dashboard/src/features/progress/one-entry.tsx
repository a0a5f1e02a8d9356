"use client";

import { X } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { isEntryId } from "./progress-choice";
import { ProgressRow } from "./progress-row";

/** The entry that the URL names, above the others if the list does not contain it. */
export function OneEntry({ id }: { readonly id: string }) {
  const isId = isEntryId(id);
  const { data, problem, refresh } = useRead("list_progress", isId ? { id } : null);
  const entry = data?.entries[0];
  return (
    <section aria-label={`Entry ${id}`} className="rounded-lg border border-primary">
      <div className="flex items-center justify-between gap-2 border-b px-3 py-1">
        <h2 className="font-mono text-sm font-medium break-all">{id}</h2>
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Close ${id}`}
          title="Close"
          onClick={() => setQuery({ p: null })}
        >
          <X aria-hidden />
        </Button>
      </div>
      {entry ? (
        <ul>
          <ProgressRow entry={entry} isOpen showsProject showsSession chosenTags={[]} />
        </ul>
      ) : problem ? (
        <ProblemAlert title={`Couldn't load ${id}.`} problem={problem} onRetry={refresh} className="m-3" />
      ) : data === undefined && isId ? (
        <Skeleton className="m-3 h-12" />
      ) : (
        <p className="px-3 py-4 text-muted-foreground">Entry not found in this mesh.</p>
      )}
    </section>
  );
}
