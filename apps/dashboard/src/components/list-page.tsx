"use client";

import { type ReactNode, useId } from "react";
import type { Problem } from "@/broker/problem";
import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useTypedParam } from "@/core/address/use-typed-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";

export interface ListPageProps {
  /** The page's heading, its breadcrumb and the name of its panel. */
  readonly title: string;
  readonly actions?: ReactNode;
  /** As narrow as a text that is read. */
  readonly reading?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A page of the mesh with one list. */
export function ListPage({ title, actions, children, ...body }: ListPageProps) {
  return (
    <>
      <PageHeader crumbs={[{ label: title }]} actions={actions} />
      <PageBody {...body}>
        <h1 className="sr-only">{title}</h1>
        <PanelBoundary title={title}>{children}</PanelBoundary>
      </PageBody>
    </>
  );
}

export interface ListBodyProps<Item> {
  /** Undefined until they are read. */
  readonly items: readonly Item[] | undefined;
  readonly problem: Problem | undefined;
  readonly onRetry: () => void;
  /** The sentence that is shown when the read fails. */
  readonly failed: string;
  /** Announced while the list loads. */
  readonly loading: string;
  readonly label: string;
  /** In place of a list without rows. */
  readonly empty: ReactNode;
  readonly children: (item: Item, index: number) => ReactNode;
}

/** A list that was read from the broker: its rows, a skeleton, an empty state, or why it is missing or old. */
export function ListBody<Item>({
  items,
  problem,
  onRetry,
  failed,
  loading,
  label,
  empty,
  children,
}: ListBodyProps<Item>) {
  return (
    <>
      {problem && (
        <ProblemAlert title={failed} problem={problem} isStale={items !== undefined} onRetry={onRetry} />
      )}
      {items === undefined ? (
        problem === undefined && <SkeletonRows label={loading} />
      ) : items.length === 0 ? (
        empty
      ) : (
        <ul aria-label={label} className="divide-y rounded-lg border">
          {items.map(children)}
        </ul>
      )}
    </>
  );
}

export interface SkeletonRowsProps {
  /** Announced to screen readers. */
  readonly label: string;
  /** The height of a row, as a class. */
  readonly height?: string;
}

/** Rows about as high as those of the list that is loading. */
export function SkeletonRows({ label, height = "h-16" }: SkeletonRowsProps) {
  return (
    <div role="status" aria-busy="true" aria-label={label} className="space-y-2">
      {[0, 1, 2, 3].map((row) => (
        <Skeleton key={row} className={height} />
      ))}
    </div>
  );
}

export interface PagerProps {
  readonly label: string;
  /** The `before` of the address; null on the first page. */
  readonly before: string | number | null;
  /** The `before` of the next page; null on the last. */
  readonly next: string | number | null;
}

/** Leads to older rows and back to the newest, by `before` in the address. */
export function Pager({ label, before, next }: PagerProps) {
  if (before === null && next === null) return null;
  return (
    <nav aria-label={label} className="flex gap-2">
      {before !== null && (
        <Button variant="outline" onClick={() => setQuery({ before: null })}>
          Newest
        </Button>
      )}
      {next !== null && (
        <Button variant="outline" onClick={() => setQuery({ before: String(next) })}>
          Older
        </Button>
      )}
    </nav>
  );
}

export interface SearchFieldProps {
  readonly label: string;
  /** The group of its key `/` in the list of keys. */
  readonly group: string;
  readonly placeholder?: string;
  readonly className?: string;
}

/** The search of a list: `q` in the address, focused by `/`. */
export function SearchField({ label, group, placeholder = label, className }: SearchFieldProps) {
  const [, typed, type] = useTypedParam("q");
  const id = useId();
  useShortcut("/", () => document.getElementById(id)?.focus(), { label, group });
  return (
    <Input
      id={id}
      type="search"
      dir="auto"
      aria-label={label}
      className={className}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => type(event.target.value)}
    />
  );
}

export interface TagsFieldProps {
  /** Offered while the person types. */
  readonly known: readonly string[];
  readonly className?: string;
}

/** Narrows a list to tags: `tag` in the address. */
export function TagsField({ known, className }: TagsFieldProps) {
  const [, typed, type] = useTypedParam("tag");
  const id = useId();
  return (
    <>
      <Input
        aria-label="Tags, separated by commas"
        className={className}
        placeholder="Tags"
        list={id}
        value={typed}
        onChange={(event) => type(event.target.value)}
      />
      <datalist id={id}>
        {sortedChoices(known, null).map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </>
  );
}

/** The values to choose from: those of the shown rows, and the chosen one. */
export function sortedChoices(seen: readonly string[], chosen: string | null): readonly string[] {
  return [...new Set(chosen === null ? seen : [chosen, ...seen])].sort((a, b) => a.localeCompare(b));
}
