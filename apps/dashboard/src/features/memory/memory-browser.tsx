"use client";

import { Plus } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useId, useMemo, useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useTypedParam } from "@/core/address/use-typed-param";
import { usePaletteAction } from "@/core/keyboard/use-palette-action";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { Button } from "@/ui/button";
import { Checkbox } from "@/ui/checkbox";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Input } from "@/ui/input";
import { NativeSelect } from "@/ui/native-select";
import { Skeleton } from "@/ui/skeleton";
import { isNarrowed, type MemoryChoice, matchesMax, sinceLabels, toMemoryChoice } from "./memory-choice";
import { type MemoryAction, MemoryRow } from "./memory-row";
import { OneMemory } from "./one-memory";
import { type ShownMemory, useMemories } from "./use-memories";

const RememberDialog = lazyPart(() => import("./remember-dialog"), "RememberDialog");
const ForgetDialog = lazyPart(() => import("./forget-dialog"), "ForgetDialog");
const TagsDialog = lazyPart(() => import("./tags-dialog"), "TagsDialog");

export interface MemoryBrowserProps {
  /** Only the memories of this session, by its slug; null for all of the mesh. */
  readonly session: string | null;
}

/** The memories: searched best match first, or listed newest first; by tag, author and time. */
export function MemoryBrowser({ session }: MemoryBrowserProps) {
  const params = useSearchParams();
  const choice = useMemo(() => toMemoryChoice(new URLSearchParams(params)), [params]);
  const selected = params.get("id");
  const [doing, setDoing] = useState<MemoryAction | { readonly kind: "remember" } | null>(null);
  const { memories, nextCursor, problem, refresh } = useMemories(choice, session);
  const done = () => setDoing(null);
  usePaletteAction({
    id: "remember",
    label: "Remember something…",
    keywords: ["memory", "keep"],
    run: () => setDoing({ kind: "remember" }),
  });

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Filters choice={choice} known={memories ?? []} onRemember={() => setDoing({ kind: "remember" })} />
      {problem && (
        <ProblemAlert
          title="Couldn't load memories."
          problem={problem}
          isStale={memories !== undefined}
          onRetry={refresh}
        />
      )}
      {selected !== null && (
        <OneMemory id={selected} onAction={setDoing} onClose={() => setQuery({ id: null })} />
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
      {memories === undefined ? (
        problem === undefined && <Rows />
      ) : memories.length === 0 ? (
        <Nothing choice={choice} />
      ) : (
        <ul aria-label={labelOf(choice)} className="divide-y rounded-lg border">
          {memories.map((memory) => (
            <MemoryRow
              key={memory.id}
              memory={memory}
              showsSession={session === null}
              chosenTags={choice.tags}
              onAction={setDoing}
            />
          ))}
        </ul>
      )}
      {memories && choice.query !== "" && memories.length === matchesMax && (
        <p className="text-sm text-muted-foreground">
          Showing the {matchesMax} best matches. Add words to narrow the search.
        </p>
      )}
      {(choice.before !== null || nextCursor !== null) && choice.query === "" && (
        <nav aria-label="Pages of memories" className="flex gap-2">
          {choice.before !== null && (
            <Button variant="outline" onClick={() => setQuery({ before: null })}>
              Newest
            </Button>
          )}
          {nextCursor !== null && (
            <Button variant="outline" onClick={() => setQuery({ before: nextCursor })}>
              Older
            </Button>
          )}
        </nav>
      )}
      {doing?.kind === "remember" && <RememberDialog session={session} onClose={done} onDone={refresh} />}
      {doing?.kind === "forget" && <ForgetDialog memory={doing.memory} onClose={done} onDone={refresh} />}
      {doing?.kind === "tags" && <TagsDialog memory={doing.memory} onClose={done} onDone={refresh} />}
    </div>
  );
}

function Filters({
  choice,
  known,
  onRemember,
}: {
  choice: MemoryChoice;
  known: readonly ShownMemory[];
  onRemember: () => void;
}) {
  const [, query, setQueryText] = useTypedParam("q");
  const [, tag, setTag] = useTypedParam("tag");
  const id = useId();
  const authors = useMemo(
    () =>
      choicesOf(
        known.map((memory) => memory.rememberedBy),
        choice.by,
      ),
    [known, choice.by],
  );
  const tags = useMemo(
    () =>
      choicesOf(
        known.flatMap((memory) => memory.tags),
        null,
      ),
    [known],
  );
  useShortcut("/", () => document.getElementById(`${id}-q`)?.focus(), {
    label: "Search memory",
    group: "Memory",
  });

  return (
    <search className="flex flex-wrap items-center gap-2">
      <label htmlFor={`${id}-q`} className="sr-only">
        Search memory
      </label>
      <Input
        id={`${id}-q`}
        type="search"
        dir="auto"
        className="w-full sm:w-72"
        placeholder="Search memory"
        value={query}
        onChange={(event) => setQueryText(event.target.value)}
      />
      <label htmlFor={`${id}-tag`} className="sr-only">
        Tags, separated by commas
      </label>
      <Input
        id={`${id}-tag`}
        className="w-32"
        placeholder="Tags"
        list={`${id}-tags`}
        value={tag}
        onChange={(event) => setTag(event.target.value)}
      />
      <datalist id={`${id}-tags`}>
        {tags.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <NativeSelect
        aria-label="Remembered by"
        className="w-36"
        value={choice.by ?? ""}
        onChange={(event) => setQuery({ by: event.target.value, before: null })}
      >
        <option value="">By anyone</option>
        {authors.map((author) => (
          <option key={author} value={author}>
            {author}
          </option>
        ))}
      </NativeSelect>
      <NativeSelect
        aria-label="Remembered when"
        className="w-36"
        value={choice.since ?? ""}
        onChange={(event) => setQuery({ since: event.target.value, before: null })}
      >
        <option value="">Any time</option>
        {Object.entries(sinceLabels).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </NativeSelect>
      <span className="inline-flex min-h-8 items-center gap-1.5 text-sm pointer-coarse:min-h-11">
        <Checkbox
          id={`${id}-forgotten`}
          checked={choice.forgotten}
          onChange={(event) => setQuery({ forgotten: event.target.checked ? "1" : null, before: null })}
        />
        <label htmlFor={`${id}-forgotten`} className="flex min-h-6 items-center pointer-coarse:min-h-11">
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

/** Returns the values to choose from: those seen on the page, and the one that is chosen already. */
function choicesOf(seen: readonly string[], chosen: string | null): readonly string[] {
  return [...new Set(chosen === null ? seen : [chosen, ...seen])].sort((a, b) => a.localeCompare(b));
}

function labelOf({ query, forgotten }: MemoryChoice): string {
  if (query !== "") return "Memories found, best match first";
  return forgotten ? "Forgotten memories, newest first" : "Memories, newest first";
}

function Nothing({ choice }: { choice: MemoryChoice }) {
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

function Rows() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading memories" className="space-y-2">
      {[0, 1, 2, 3].map((row) => (
        <Skeleton key={row} className="h-16" />
      ))}
    </div>
  );
}
