"use client";

import { Plus, X } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useId, useMemo, useState } from "react";
import { useRead } from "@/broker/use-read";
import { ListBody, Pager, SearchField, sortChoices, TagsField } from "@/components/list-page";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Select } from "@/ui/select";
import { Skeleton } from "@/ui/skeleton";
import {
  isNarrowed,
  type MemoryListChoice,
  matchesMax,
  sinceLabels,
  toCursorBefore,
  toMemoryChoice,
} from "./memory-choice";
import { type MemoryAction, MemoryRow } from "./memory-row";
import { type ShownMemory, useMemories } from "./use-memories";

const RememberDialog = lazyPart(() => import("./remember-dialog"), "RememberDialog");
const ForgetDialog = lazyPart(() => import("./forget-dialog"), "ForgetDialog");
const TagsDialog = lazyPart(() => import("./tags-dialog"), "TagsDialog");

export interface MemoryBrowserProps {
  /** The slug of a session, to show only its memories. Null for the whole mesh. */
  readonly session: string | null;
}

/**
 * The memories of the mesh or a session. A search lists the best match first. Without a search, the newest memory comes
 * first. The list can be filtered by tag, author and time.
 */
export function MemoryBrowser({ session }: MemoryBrowserProps) {
  const params = useSearchParams();
  const choice = useMemo(() => toMemoryChoice(new URLSearchParams(params)), [params]);
  const selected = params.get("id");
  const [pendingAction, setPendingAction] = useState<MemoryAction | { readonly kind: "remember" } | null>(
    null,
  );
  const { memories, nextCursor, problem, refresh } = useMemories(choice, session);
  const closeDialog = () => setPendingAction(null);
  usePaletteAction({
    id: "remember",
    label: "Remember something…",
    keywords: ["memory", "keep"],
    run: () => setPendingAction({ kind: "remember" }),
  });

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Filters
        choice={choice}
        memories={memories ?? []}
        onRemember={() => setPendingAction({ kind: "remember" })}
      />
      {selected !== null && (
        <OneMemory id={selected} onAction={setPendingAction} onClose={() => setQuery({ id: null })} />
      )}
      {choice.forgotten && choice.query !== "" && (
        <p className="text-sm text-muted-foreground">
          Search doesn’t cover forgotten memories.{" "}
          <button
            type="button"
            className="text-link underline underline-offset-4"
            onClick={() => setQuery({ q: null })}
          >
            Show forgotten memories
          </button>
        </p>
      )}
      <ListBody
        items={memories}
        problem={problem}
        onRetry={refresh}
        failureTitle="Couldn't load memories."
        loadingLabel="Loading memories"
        label={describeChoice(choice)}
        empty={<Nothing choice={choice} />}
      >
        {(memory) => (
          <MemoryRow
            key={memory.id}
            memory={memory}
            showsSession={session === null}
            chosenTags={choice.tags}
            onAction={setPendingAction}
          />
        )}
      </ListBody>
      {memories && choice.query !== "" && memories.length === matchesMax && (
        <p className="text-sm text-muted-foreground">
          Showing the {matchesMax} best matches. Add words to narrow the search.
        </p>
      )}
      {choice.query === "" && <Pager label="Pages of memories" before={choice.before} next={nextCursor} />}
      {pendingAction?.kind === "remember" && (
        <RememberDialog session={session} onClose={closeDialog} onDone={refresh} />
      )}
      {pendingAction?.kind === "forget" && (
        <ForgetDialog memory={pendingAction.memory} onClose={closeDialog} onDone={refresh} />
      )}
      {pendingAction?.kind === "tags" && (
        <TagsDialog memory={pendingAction.memory} onClose={closeDialog} onDone={refresh} />
      )}
    </div>
  );
}

interface FiltersProps {
  readonly choice: MemoryListChoice;
  /** The memories shown, from which the filters get their authors and tags. */
  readonly memories: readonly ShownMemory[];
  readonly onRemember: () => void;
}

function Filters({ choice, memories, onRemember }: FiltersProps) {
  const id = useId();
  const authors = sortChoices(
    memories.map(({ rememberedBy }) => rememberedBy),
    choice.by,
  );
  return (
    <search className="flex flex-wrap items-center gap-2">
      <SearchField label="Search memory" group="Memory" className="w-full sm:w-72" />
      <TagsField suggestions={memories.flatMap(({ tags }) => tags)} className="w-32" />
      <Select
        aria-label="Remembered by"
        className="w-36"
        value={choice.by ?? ""}
        onChange={(by) => setQuery({ by, before: null })}
        options={[["", "By anyone"], ...authors.map((name) => [name, name] as const)]}
      />
      <Select
        aria-label="Remembered when"
        className="w-36"
        value={choice.since ?? ""}
        onChange={(since) => setQuery({ since, before: null })}
        options={[["", "Any time"], ...Object.entries(sinceLabels)]}
      />
      <span className="inline-flex min-h-8 items-center gap-1.5 text-sm pointer-coarse:min-h-11">
        <Checkbox
          id={id}
          checked={choice.forgotten}
          onChange={(event) => setQuery({ forgotten: event.target.checked ? "1" : null, before: null })}
        />
        <label htmlFor={id} className="flex min-h-6 items-center pointer-coarse:min-h-11">
          Forgotten
        </label>
      </span>
      <Button className="ml-auto" onClick={onRemember}>
        <Plus aria-hidden />
        Remember
      </Button>
    </search>
  );
}

function describeChoice({ query, forgotten }: MemoryListChoice): string {
  if (query !== "") return "Memories found, best match first";
  return forgotten ? "Forgotten memories, newest first" : "Memories, newest first";
}

function Nothing({ choice }: { choice: MemoryListChoice }) {
  if (isNarrowed(choice)) {
    return (
      <Empty>
        <EmptyTitle>No memories found</EmptyTitle>
        <EmptyDescription>
          Matches word forms. Use “quotes” for phrases and -word to exclude.
        </EmptyDescription>
        <Button
          variant="outline"
          onClick={() => setQuery({ q: null, tag: null, by: null, since: null, before: null })}
        >
          Show all memories
        </Button>
      </Empty>
    );
  }
  if (choice.forgotten)
    return <p className="py-8 text-center text-muted-foreground">No forgotten memories.</p>;
  return (
    <Empty>
      <EmptyTitle>No memories yet</EmptyTitle>
      <EmptyDescription>
        Lessons and facts for later sessions. Agents add them with remember; you can too.
      </EmptyDescription>
    </Empty>
  );
}

interface OneMemoryProps {
  readonly id: string;
  readonly onAction: (action: MemoryAction) => void;
  readonly onClose: () => void;
}

const refreshEvents = ["memory"] as const;

/** The memory named in the URL, shown above the others even if it was forgotten. */
function OneMemory({ id, onAction, onClose }: OneMemoryProps) {
  const before = toCursorBefore(id);
  const activeRead = useRead("list_memory", before === null ? null : { before, limit: 1 }, {
    on: refreshEvents,
  });
  const forgottenRead = useRead(
    "list_memory",
    before === null ? null : { before, limit: 1, forgotten: true },
    { on: refreshEvents },
  );
  const memory = [...(activeRead.data?.memories ?? []), ...(forgottenRead.data?.memories ?? [])].find(
    (each) => each.id === id,
  );
  const isLoaded = before === null || (activeRead.data !== undefined && forgottenRead.data !== undefined);
  const problem = activeRead.problem ?? forgottenRead.problem;
  return (
    <section aria-label={`Memory ${id}`} className="rounded-lg border border-primary">
      <div className="flex items-center justify-between gap-2 border-b px-3 py-1">
        <h2 className="font-mono text-sm font-medium">{id}</h2>
        <Button variant="ghost" size="icon" aria-label={`Close ${id}`} title="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      {memory ? (
        <ul>
          <MemoryRow memory={memory} showsSession chosenTags={[]} onAction={onAction} />
        </ul>
      ) : problem ? (
        <ProblemAlert
          title={`Couldn't load ${id}.`}
          problem={problem}
          onRetry={activeRead.refresh}
          className="m-3"
        />
      ) : isLoaded ? (
        <p className="px-3 py-4 text-muted-foreground">Memory not found.</p>
      ) : (
        <Skeleton className="m-3 h-12" />
      )}
    </section>
  );
}
