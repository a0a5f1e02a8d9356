"use client";

import { X } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useMemo, useState } from "react";
import { useRead } from "@/broker/use-read";
import { ListBody, Pager } from "@/components/list-page";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Skeleton } from "@/ui/skeleton";
import {
  isEntryId,
  isNarrowed,
  nothingChosen,
  type ProgressChoice,
  toProgressChoice,
  toProgressRead,
} from "./progress-choice";
import { ProgressFilters } from "./progress-filters";
import { ProgressRow } from "./progress-row";
import { ProjectList } from "./project-list";

const LogProgressDialog = lazyPart(() => import("./log-progress-dialog"), "LogProgressDialog");

export interface ProgressBrowserProps {
  /** The slug of a session, to show only its entries. Null for the whole mesh. */
  readonly session: string | null;
}

const on = ["progress"] as const;

/**
 * The progress entries, newest first. They can be filtered by project, tags, time and author, and searched by title, text and
 * tags.
 */
export function ProgressBrowser({ session }: ProgressBrowserProps) {
  const params = useSearchParams();
  const choice = useMemo(() => toProgressChoice(new URLSearchParams(params)), [params]);
  const open = params.get("p");
  const [isLogging, setIsLogging] = useState(false);
  const { data, problem, refresh } = useRead("list_progress", toProgressRead(choice, session), {
    on,
    keepLast: true,
  });
  const projects = useRead("list_progress_projects", session === null ? {} : null, { on });
  const entries = data?.entries;
  const isListed = entries?.some(({ id }) => id === open) ?? false;
  usePaletteAction({
    id: "log-progress",
    label: "Log progress…",
    keywords: ["done", "entry", "work"],
    run: () => setIsLogging(true),
  });

  return (
    <div
      className={session === null ? "min-w-0 gap-6 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]" : "min-w-0"}
    >
      {session === null && <ProjectList projects={projects.data} chosen={choice.project} />}
      <div className="flex min-w-0 flex-col gap-3">
        <ProgressFilters
          choice={choice}
          entries={entries ?? []}
          projects={session === null ? (projects.data?.projects ?? []) : null}
          onLog={() => setIsLogging(true)}
        />
        {open !== null && entries !== undefined && !isListed && <OneEntry key={open} id={open} />}
        <ListBody
          items={entries}
          problem={problem}
          onRetry={refresh}
          failureTitle="Couldn't load the progress log."
          loadingLabel="Loading progress log"
          label="Progress entries, newest first"
          empty={<ProgressEmpty choice={choice} />}
        >
          {(entry) => (
            <ProgressRow
              key={entry.id}
              entry={entry}
              isOpen={entry.id === open}
              showsProject={choice.project === null}
              showsSession={session === null}
              chosenTags={choice.tags}
            />
          )}
        </ListBody>
        <Pager label="Progress pages" before={choice.before} next={data?.next_cursor ?? null} />
      </div>
      {isLogging && (
        <LogProgressDialog
          session={session}
          project={choice.project ?? entries?.[0]?.projectId ?? null}
          onClose={() => setIsLogging(false)}
          onDone={(id) => {
            refresh();
            if (isEntryId(id)) setQuery({ p: id, before: null });
          }}
        />
      )}
    </div>
  );
}

/** Explains why there are no entries, and suggests the next step. */
function ProgressEmpty({ choice }: { choice: ProgressChoice }) {
  if (isNarrowed(choice) || choice.before !== null) {
    return (
      <Empty>
        <EmptyTitle>No entries found</EmptyTitle>
        <EmptyDescription>
          Searches titles, texts and tags. Matches word forms. Use “quotes” for phrases and -word to exclude.
        </EmptyDescription>
        <Button variant="outline" onClick={() => setQuery({ ...nothingChosen, project: choice.project })}>
          Show all entries
        </Button>
      </Empty>
    );
  }
  if (choice.project !== null) {
    return (
      <Empty>
        <EmptyTitle>No progress in this project yet</EmptyTitle>
        <Button variant="outline" onClick={() => setQuery({ project: null })}>
          Show all projects
        </Button>
      </Empty>
    );
  }
  return (
    <Empty>
      <EmptyTitle>No progress yet</EmptyTitle>
      <EmptyDescription>
        Finished work and how it was done. Agents log it with log_progress; you can too.
      </EmptyDescription>
    </Empty>
  );
}

/** The entry named in the URL, shown above the others if the list does not contain it. */
function OneEntry({ id }: { readonly id: string }) {
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
