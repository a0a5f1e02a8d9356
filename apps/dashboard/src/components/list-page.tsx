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
  /** The page's heading and breadcrumb, and the name of its panel. */
  readonly title: string;
  readonly actions?: ReactNode;
  /** Whether to use the narrow width for reading. */
  readonly isNarrow?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A page that shows a single list for the mesh. */
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
  /** Undefined while loading. */
  readonly items: readonly Item[] | undefined;
  readonly problem: Problem | undefined;
  readonly onRetry: () => void;
  /** Message shown if the read fails. */
  readonly failureTitle: string;
  /** Announced while the list loads. */
  readonly loadingLabel: string;
  readonly label: string;
  /** Shown if the list is empty. */
  readonly empty: ReactNode;
  readonly children: (item: Item, index: number) => ReactNode;
}

/**
 * Shows a list read from the broker as rows, a skeleton, an empty state, or the reason why the list is missing or
 * stale.
 */
export function ListBody<Item>({
  items,
  problem,
  onRetry,
  failureTitle,
  loadingLabel,
  label,
  empty,
  children,
}: ListBodyProps<Item>) {
  return (
    <>
      {problem && (
        <ProblemAlert
          title={failureTitle}
          problem={problem}
          isStale={items !== undefined}
          onRetry={onRetry}
        />
      )}
      {items === undefined ? (
        problem === undefined && <SkeletonRows label={loadingLabel} />
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
  /** A class for the height of a row. */
  readonly height?: string;
}

/** Placeholder rows with about the height of the real rows. */
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
  /** The `before` parameter of the URL. Null on the first page. */
  readonly before: string | number | null;
  /** The `before` parameter for the next page. Null on the last page. */
  readonly next: string | number | null;
}

/** Links to older rows and back to the newest, using the URL parameter `before`. */
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
  /** The group that lists the shortcut `/` in the keyboard help. */
  readonly group: string;
  readonly placeholder?: string;
  readonly className?: string;
}

/** The search field of a list, bound to the URL parameter `q` and focused by `/`. */
export function SearchField({ label, group, placeholder = label, className }: SearchFieldProps) {
  const [, text, setText] = useTypedParam("q");
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
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

export interface TagsFieldProps {
  /** Suggestions shown while the person types. */
  readonly suggestions: readonly string[];
  readonly className?: string;
}

/** A field that filters a list by tags, bound to the URL parameter `tag`. */
export function TagsField({ suggestions, className }: TagsFieldProps) {
  const [, text, setText] = useTypedParam("tag");
  const id = useId();
  return (
    <>
      <Input
        aria-label="Tags, separated by commas"
        className={className}
        placeholder="Tags"
        list={id}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <datalist id={id}>
        {sortChoices(suggestions, null).map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </>
  );
}

/** Returns the values to choose from: those in the current rows, and the chosen value. */
export function sortChoices(values: readonly string[], chosen: string | null): readonly string[] {
  return [...new Set(chosen === null ? values : [chosen, ...values])].sort((a, b) => a.localeCompare(b));
}
