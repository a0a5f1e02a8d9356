"use client";

import { type SearchHit, type SearchKind, searchKinds } from "@merkle/wire";
import { Search } from "lucide-react";
import { type KeyboardEvent, useId, useRef } from "react";
import { ListPage, SkeletonRows } from "@/components/list-page";
import { PageLink } from "@/components/page-link";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { useQueryParam } from "@/core/address/use-query-param";
import { useTypedParam } from "@/core/address/use-typed-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { MarkedText } from "@/text/marked-text";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Input } from "@/ui/input";
import { hitIcons } from "./hit-icons";
import { describeHitTitle, hitsMax, kindLabels, toHitHref } from "./search-hits";
import { useAnySession, useSearch } from "./use-search";

/** Searches all data of the mesh as the user types. */
export function SearchView() {
  return (
    <ListPage title="Search">
      <SearchPanel />
    </ListPage>
  );
}

function SearchPanel() {
  const [query, text, setText] = useTypedParam("q");
  const [kindsParam, setKinds] = useQueryParam("kinds");
  const kinds = toKinds(kindsParam);
  const { data, problem, refresh } = useSearch(query, kinds);
  const hits = query.trim() === "" ? [] : (data?.hits ?? []);
  const anySession = useAnySession(hits);
  const list = useRef<HTMLOListElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useShortcut("/", () => field.current?.focus(), { label: "Search everything", group: "Search" });

  function goIntoHits(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown") return;
    const first = list.current?.querySelector("a");
    if (!first) return;
    event.preventDefault();
    first.focus();
  }

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <search className="flex min-w-0 flex-col gap-3">
        <span className="relative">
          <Search
            aria-hidden
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted-foreground"
          />
          <label htmlFor={id} className="sr-only">
            Search messages, documents, memory, progress and sessions
          </label>
          <Input
            ref={field}
            id={id}
            type="search"
            dir="auto"
            // People who open the search page want to type.
            autoFocus
            className="h-10 pl-9 text-lg"
            placeholder="Search messages, documents, memory, progress and sessions"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={goIntoHits}
          />
        </span>
        <KindFilter kinds={kinds} onChange={setKinds} />
      </search>
      {problem && (
        <ProblemAlert
          title="Search failed."
          problem={problem}
          stillWorks={hits.length > 0 ? "Showing earlier results." : undefined}
          onRetry={refresh}
        />
      )}
      {query.trim() === "" ? (
        <Hints />
      ) : data === undefined ? (
        problem === undefined && <SkeletonRows label="Searching" />
      ) : (
        <>
          <p role="status" className="text-sm text-muted-foreground">
            {describeCount(hits.length)}
            {!data.complete && " Older messages are still being indexed. Search again in a while."}
          </p>
          {hits.length > 0 ? (
            <ol
              ref={list}
              aria-label="Results, best match first"
              onKeyDown={(event) => walkHits(event, field.current)}
              className="divide-y rounded-lg border"
            >
              {hits.map((hit, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a document is found in several of its parts.
                <SearchHitRow key={index} hit={hit} anySession={anySession} />
              ))}
            </ol>
          ) : (
            <Nothing hasKinds={kinds.length > 0} onAllKinds={() => setKinds(null)} />
          )}
        </>
      )}
    </div>
  );
}

/** Moves the focus between hits with the arrow keys. Up from the first hit returns to the field. */
function walkHits(event: KeyboardEvent<HTMLOListElement>, field: HTMLInputElement | null): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a")];
  const index = links.findIndex((link) => link.matches(":focus"));
  if (index < 0) return;
  const next = event.key === "ArrowDown" ? links[index + 1] : (links[index - 1] ?? field);
  event.preventDefault();
  next?.focus();
}

function KindFilter({
  kinds,
  onChange,
}: {
  kinds: readonly SearchKind[];
  onChange: (kinds: string | null) => void;
}) {
  return (
    <fieldset className="flex flex-wrap gap-1.5">
      <legend className="sr-only">Search in</legend>
      {searchKinds.map((kind) => (
        <Button
          key={kind}
          variant="outline"
          size="sm"
          aria-pressed={kinds.includes(kind)}
          className="rounded-full border-border px-3 text-muted-foreground aria-pressed:border-primary aria-pressed:bg-raised aria-pressed:text-foreground"
          onClick={() => {
            const next = kinds.includes(kind) ? kinds.filter((each) => each !== kind) : [...kinds, kind];
            onChange(next.length === 0 || next.length === searchKinds.length ? null : next.join(","));
          }}
        >
          {pluralLabels[kind]}
        </Button>
      ))}
    </fieldset>
  );
}

const pluralLabels: Readonly<Record<SearchKind, string>> = {
  ...kindLabels,
  message: "Messages",
  decision: "Decisions",
  document: "Documents",
  session: "Sessions",
  topic: "Comments",
};

function toKinds(param: string | null): readonly SearchKind[] {
  const names = new Set((param ?? "").split(","));
  return searchKinds.filter((kind) => names.has(kind));
}

function describeCount(count: number): string {
  if (count === 0) return "No results.";
  if (count === hitsMax) return `Showing the top ${hitsMax} matches.`;
  return count === 1 ? "1 match." : `${count} matches.`;
}

function Hints() {
  return (
    <Empty>
      <EmptyTitle>Search all sessions</EmptyTitle>
      <EmptyDescription>Matches word forms. Use “quotes” for phrases and -word to exclude.</EmptyDescription>
    </Empty>
  );
}

function Nothing({ hasKinds, onAllKinds }: { hasKinds: boolean; onAllKinds: () => void }) {
  return (
    <Empty>
      <EmptyDescription>
        {hasKinds ? "No matches of these kinds. Other kinds may match." : "Try fewer or different words."}
      </EmptyDescription>
      {hasKinds && (
        <Button variant="outline" onClick={onAllKinds}>
          Search everything
        </Button>
      )}
    </Empty>
  );
}

/** A search hit: its kind, the matching excerpt, its author, session and time, with a link to it. */
function SearchHitRow({ hit, anySession }: { hit: SearchHit; anySession: string | null }) {
  const href = toHitHref(hit, anySession);
  const Icon = hitIcons[hit.kind];
  return (
    <li className="relative grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 px-3 py-row has-[a]:hover:bg-surface">
      <Icon aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
      <div className="min-w-0">
        <p className="flex flex-wrap items-baseline gap-x-2 text-sm text-muted-foreground">
          <span className="font-medium text-foreground">{kindLabels[hit.kind]}</span>
          {href === null ? (
            <bdi>{describeHitTitle(hit)}</bdi>
          ) : (
            <PageLink
              href={href}
              dir="auto"
              // The link's clickable area covers the whole row.
              className="min-w-0 truncate text-link underline-offset-4 after:absolute after:inset-0 hover:underline"
            >
              {describeHitTitle(hit)}
            </PageLink>
          )}
          {hit.by !== null && <bdi>{hit.by}</bdi>}
          <TimeText at={hit.at} />
          {hit.project !== null && <bdi>{hit.project}</bdi>}
          {hit.source_path !== null && <bdi className="min-w-0 truncate">{hit.source_path}</bdi>}
          {hit.kind === "memory" && hit.session !== null && <span>{hit.session}</span>}
          {hit.kind === "state" && hit.session === null && <span>all sessions</span>}
        </p>
        <p dir="auto" className="mt-0.5 line-clamp-3 [overflow-wrap:anywhere]">
          <MarkedText text={hit.marked} />
        </p>
      </div>
    </li>
  );
}
