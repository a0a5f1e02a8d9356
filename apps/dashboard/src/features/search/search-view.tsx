"use client";

import { type SearchHit, type SearchKind, searchKinds } from "@merkle/wire";
import { Search, X } from "lucide-react";
import { type KeyboardEvent, useId, useRef } from "react";
import { ListPage, SkeletonRows } from "@/components/list-page";
import { PageLink } from "@/components/page-link";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { useTypedParam } from "@/core/address/use-typed-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyHelper } from "@/core/lazy-part";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkedText } from "@/text/marked-text";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Input } from "@/ui/input";
import { hitIcons } from "./hit-icons";
import {
  describeHitPlace,
  describeHitTitle,
  type FoldedHits,
  foldHits,
  groupHits,
  type HitGroup,
  hitsMax,
  kindLabels,
  toHitHref,
} from "./search-hits";
import { useAnySession, useSearch } from "./use-search";

const LocalResults = lazyHelper(() => import("./local-results"), "LocalResults");

/** Searches all data of the mesh as the user types. */
export function SearchView() {
  return (
    <ListPage title="Search">
      <SearchPanel />
    </ListPage>
  );
}

function SearchPanel() {
  const [query, text, setText, writeText] = useTypedParam("q");
  const [kindsParam, setKinds] = useQueryParam("kinds");
  const [session, setSession] = useQueryParam("session");
  const kinds = toKinds(kindsParam);
  const { data, problem, refresh } = useSearch(query, { kinds, session });
  const hasWords = query.trim() !== "";
  const isBlank = !hasWords && kinds.length === 0;
  const hits = isBlank ? [] : (data?.hits ?? []);
  const anySession = useAnySession(hits);
  const groups = groupHits(hits);
  const list = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useShortcut("/", () => field.current?.focus(), { label: "Search everything", group: "Search" });

  function goIntoHits(event: KeyboardEvent): void {
    if (event.key !== "ArrowDown") return;
    const first = list.current?.querySelector<HTMLElement>("li a");
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
            Search messages, documents, tasks, memory, progress and sessions
          </label>
          <Input
            ref={field}
            id={id}
            type="search"
            dir="auto"
            // People who open the search page want to type.
            autoFocus
            className="h-10 pl-9 text-lg"
            placeholder="Search messages, documents, tasks, memory, progress and sessions"
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={writeText}
            onKeyDown={goIntoHits}
          />
        </span>
        <div className="flex flex-wrap gap-1.5">
          {session !== null && (
            <Button
              variant="outline"
              size="sm"
              className={chip}
              aria-pressed
              onClick={() => setSession(null)}
            >
              <span className="sr-only">Only in </span>
              <bdi className="max-w-60 truncate">{groups[0]?.title ?? session}</bdi>
              <X aria-hidden />
            </Button>
          )}
          <KindFilter kinds={kinds} onChange={setKinds} />
        </div>
      </search>
      {hasWords && <LocalResults query={text} />}
      {problem && (
        <ProblemAlert
          title="Search failed."
          problem={problem}
          stillWorks={hits.length > 0 ? "Showing earlier results." : undefined}
          onRetry={refresh}
        />
      )}
      {isBlank ? (
        <Hints />
      ) : data === undefined ? (
        problem === undefined && <SkeletonRows label="Searching" />
      ) : (
        <>
          <p role="status" className="text-sm text-muted-foreground">
            {hasWords ? describeCount(data.total, hits.length) : describeNewest(hits.length)}
            {!data.complete && " Older messages are still being indexed. Search again in a while."}
          </p>
          {hits.length > 0 ? (
            <section
              ref={list}
              aria-label={hasWords ? "Results, best match first" : "Results, newest first"}
              onKeyDown={(event) => walkHits(event, field.current)}
              className="flex flex-col gap-4"
            >
              {hasWords ? (
                groups.map((group) => (
                  <HitGroupPanel
                    key={group.session ?? ""}
                    group={group}
                    anySession={anySession}
                    onOnly={session === null && groups.length > 1 ? setSession : null}
                  />
                ))
              ) : (
                <HitRows rows={foldHits(hits)} anySession={anySession} hasTitles />
              )}
            </section>
          ) : (
            <Nothing
              isFiltered={kinds.length > 0 || session !== null}
              onShowAll={() => setQuery({ kinds: null, session: null })}
            />
          )}
        </>
      )}
    </div>
  );
}

/** Moves the focus between hits with the arrow keys. Up from the first hit returns to the field. */
function walkHits(event: KeyboardEvent<HTMLElement>, field: HTMLInputElement | null): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>("li a")];
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
    <fieldset className="contents">
      <legend className="sr-only">Search in</legend>
      {searchKinds.map((kind) => (
        <Button
          key={kind}
          variant="outline"
          size="sm"
          aria-pressed={kinds.includes(kind)}
          className={chip}
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

const chip =
  "rounded-full border-border px-3 text-muted-foreground aria-pressed:border-primary aria-pressed:bg-raised aria-pressed:text-foreground";

const pluralLabels: Readonly<Record<SearchKind, string>> = {
  ...kindLabels,
  message: "Messages",
  decision: "Decisions",
  document: "Documents",
  task: "Tasks",
  session: "Sessions",
  topic: "Comments",
};

function toKinds(param: string | null): readonly SearchKind[] {
  const names = new Set((param ?? "").split(","));
  return searchKinds.filter((kind) => names.has(kind));
}

function describeCount(total: number, shown: number): string {
  if (total === 0) return "No results.";
  const matches = total === 1 ? "1 match." : `${total.toLocaleString("en")} matches.`;
  return total > shown ? `${matches} Showing the best ${shown}.` : matches;
}

function describeNewest(shown: number): string {
  if (shown === 0) return "No results.";
  return shown === hitsMax ? `The newest ${shown}.` : `${shown} in all.`;
}

function Hints() {
  return (
    <Empty>
      <EmptyTitle>Search all sessions</EmptyTitle>
      <EmptyDescription>
        Matches word forms. Use “quotes” for phrases and -word to exclude. Without words, a kind lists its
        newest.
      </EmptyDescription>
    </Empty>
  );
}

function Nothing({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) {
  return (
    <Empty>
      <EmptyDescription>
        {isFiltered ? "No matches with these filters. There may be others." : "Try fewer or different words."}
      </EmptyDescription>
      {isFiltered && (
        <Button variant="outline" onClick={onShowAll}>
          Search everything
        </Button>
      )}
    </Empty>
  );
}

interface HitGroupPanelProps {
  readonly group: HitGroup;
  readonly anySession: string | null;
  /** Narrows the search to the group's session. Null if there is no other group. */
  readonly onOnly: ((session: string) => void) | null;
}

/** The hits of one session, under its title. */
function HitGroupPanel({ group: { session, title, rows, count }, anySession, onOnly }: HitGroupPanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="flex min-h-8 items-center gap-2 px-1">
        <h2 id={id} className="min-w-0 truncate font-medium">
          {session === null ? "Outside sessions" : <bdi>{showHidden(title ?? session)}</bdi>}
        </h2>
        <span className="shrink-0 text-sm text-muted-foreground">
          {count === 1 ? "1 match" : `${count} matches`}
        </span>
        {session !== null && onOnly && (
          <Button variant="ghost" size="sm" className="ms-auto shrink-0" onClick={() => onOnly(session)}>
            Only here<span className="sr-only"> in {title}</span>
          </Button>
        )}
      </div>
      <HitRows rows={rows} anySession={anySession} />
    </section>
  );
}

interface HitRowsProps extends Pick<SearchHitRowProps, "anySession" | "hasTitles"> {
  readonly rows: readonly FoldedHits[];
}

function HitRows({ rows, ...props }: HitRowsProps) {
  return (
    <ol className="divide-y rounded-lg border">
      {rows.map(({ hit, others }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a document is found in several of its parts.
        <SearchHitRow key={index} hit={hit} others={others} {...props} />
      ))}
    </ol>
  );
}

interface SearchHitRowProps {
  readonly hit: SearchHit;
  /** Further hits with the same text. */
  readonly others: readonly SearchHit[];
  readonly anySession: string | null;
  /** Whether rows name the session, because no heading does. */
  readonly hasTitles?: boolean;
}

/** A search hit: the matching excerpt, which is the link to it, then its kind, place, author and time. */
function SearchHitRow({ hit, others, anySession, hasTitles = false }: SearchHitRowProps) {
  const href = toHitHref(hit, anySession);
  const Icon = hitIcons[hit.kind];
  return (
    <li className="relative grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 px-3 py-row has-[a]:hover:bg-surface">
      <Icon aria-hidden className="mt-0.5 size-4 text-muted-foreground" />
      <div className="min-w-0">
        <p dir="auto" className="line-clamp-3 [overflow-wrap:anywhere]">
          {href === null ? (
            <MarkedText text={hit.marked} />
          ) : (
            // The link's clickable area covers the whole row.
            <PageLink href={href} className="after:absolute after:inset-0">
              <MarkedText text={hit.marked} />
            </PageLink>
          )}
        </p>
        <p className="mt-0.5 flex flex-wrap items-baseline gap-x-2 text-sm text-muted-foreground">
          <span data-kind>{kindLabels[hit.kind]}</span>
          <bdi className="min-w-0 truncate">{hasTitles ? describeHitTitle(hit) : describeHitPlace(hit)}</bdi>
          {hit.by !== null && <bdi>{hit.by}</bdi>}
          <TimeText at={hit.at} as="clock" />
          {hit.project !== null && <bdi>{hit.project}</bdi>}
          {hit.source_path !== null && <bdi className="min-w-0 truncate">{hit.source_path}</bdi>}
          {hit.kind === "state" && hit.session === null && <span>all sessions</span>}
        </p>
        {others.length > 0 && <EqualHits hits={others} anySession={anySession} />}
      </div>
    </li>
  );
}

/** Links to the hits that are folded into one row because their texts are equal. */
function EqualHits({ hits, anySession }: { hits: readonly SearchHit[]; anySession: string | null }) {
  return (
    // Above the row's own link.
    <details className="relative z-1 w-fit max-w-full text-sm">
      <summary className="w-fit cursor-pointer py-0.5 text-muted-foreground hover:text-foreground pointer-coarse:py-3">
        {hits.length} more with the same text
      </summary>
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5">
        {hits.map((hit, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: only their places differ, and they have no order of their own.
          <li key={index} className="flex items-baseline gap-1.5">
            <HitPlace hit={hit} href={toHitHref(hit, anySession)} />
            <TimeText at={hit.at} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function HitPlace({ hit, href }: { hit: SearchHit; href: string | null }) {
  if (href === null) return <bdi>{describeHitPlace(hit)}</bdi>;
  return (
    <PageLink href={href} className="text-link underline-offset-4 hover:underline pointer-coarse:py-3">
      {describeHitPlace(hit)}
    </PageLink>
  );
}
