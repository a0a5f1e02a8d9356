"use client";

import type { StateEntry } from "@merkle/wire";
import { History, Pencil, Trash2 } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { Button } from "@/ui/button";
import { JsonTree } from "./json-tree";

export interface StateTableProps {
  readonly entries: readonly StateEntry[];
  /** Versions that arrived while the page was open, by key. Their rows flash once. */
  readonly changedKeys: ReadonlyMap<string, number>;
  /** The key whose details are shown below its row. */
  readonly selected: string | null;
  readonly renderDetails: (key: string) => ReactNode;
  readonly onSelect: (key: string) => void;
  readonly onEdit: ((entry: StateEntry) => void) | undefined;
  readonly onDelete: ((entry: StateEntry) => void) | undefined;
}

/** The keys with their values. On a phone each key is a read-only card. */
export function StateTable({ entries, changedKeys, selected, renderDetails, ...actions }: StateTableProps) {
  return (
    <div className="overflow-hidden rounded-lg border">
      <table className="w-full table-fixed text-left max-md:block">
        <thead className="border-b bg-surface text-sm text-muted-foreground max-md:sr-only">
          <tr>
            <th scope="col" className="h-9 w-[22%] px-3 font-medium">
              Key
            </th>
            <th scope="col" className="px-3 font-medium">
              Value
            </th>
            <th scope="col" className="w-[16%] px-3 font-medium">
              By
            </th>
            <th scope="col" className="w-24 px-3 font-medium">
              When
            </th>
            <th scope="col" className="w-16 px-3 text-right font-medium">
              Version
            </th>
            <th scope="col" className="w-28 px-2">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y max-md:block">
          {entries.map((entry) => (
            <Fragment key={entry.key}>
              <Row
                entry={entry}
                flash={changedKeys.get(entry.key)}
                isSelected={entry.key === selected}
                {...actions}
              />
              {entry.key === selected && (
                <tr className="max-md:block">
                  <td colSpan={6} className="bg-surface p-0 max-md:block">
                    {renderDetails(entry.key)}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = Pick<StateTableProps, "onSelect" | "onEdit" | "onDelete"> & {
  readonly entry: StateEntry;
  readonly flash: number | undefined;
  readonly isSelected: boolean;
};

/** On a card, the facts about a key are side by side below its value. */
const fact = "text-sm leading-6 max-md:mr-3 max-md:inline-block";

const cell = "px-3 py-row align-top max-md:block max-md:px-0 max-md:py-0.5";

function Row({ entry, flash, isSelected, onSelect, onEdit, onDelete }: RowProps) {
  const { key, value, version, updatedBy, updatedAt } = entry;
  return (
    <tr
      // Restarts the animation when a row flashes again.
      key={flash ?? 0}
      data-changed={flash !== undefined || undefined}
      className={cn(
        "max-md:relative max-md:block max-md:px-3 max-md:py-2",
        flash !== undefined && "motion-safe:animate-flash",
      )}
    >
      <th
        scope="row"
        dir="auto"
        className={cn(cell, "font-mono text-sm leading-6 font-medium [overflow-wrap:anywhere] max-md:pr-12")}
      >
        {key}
      </th>
      <td className={cn(cell, "min-w-0")}>
        <JsonTree value={value} label={`Value of ${key}`} />
      </td>
      <td dir="auto" className={cn(cell, fact, "[overflow-wrap:anywhere]")}>
        <CardLabel>By </CardLabel>
        {updatedBy}
      </td>
      <td className={cn(cell, fact, "text-muted-foreground tabular-nums")}>
        <CardLabel>When </CardLabel>
        <TimeText at={updatedAt} />
      </td>
      <td className={cn(cell, fact, "text-muted-foreground tabular-nums md:text-right")}>
        <CardLabel>Version </CardLabel>v{version}
      </td>
      <td
        className={cn(
          cell,
          "px-2 py-0 max-md:absolute max-md:top-1 max-md:right-1 md:pt-[calc(var(--row-y)-0.125rem)] md:text-right",
        )}
      >
        <span className="inline-flex">
          <Button
            variant="ghost"
            size="icon"
            className="size-7"
            aria-expanded={isSelected}
            aria-label={`History of ${key}`}
            title="History and watchers"
            onClick={() => onSelect(key)}
          >
            <History aria-hidden />
          </Button>
          {onEdit && (
            <Button
              variant="ghost"
              size="icon"
              className="size-7 max-md:hidden"
              aria-label={`Edit ${key}`}
              title="Edit"
              onClick={() => onEdit(entry)}
            >
              <Pencil aria-hidden />
            </Button>
          )}
          {onDelete && (
            <Button
              variant="ghost"
              size="icon"
              className="size-7 max-md:hidden"
              aria-label={`Delete ${key}`}
              title="Delete"
              onClick={() => onDelete(entry)}
            >
              <Trash2 aria-hidden />
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

/** The label of a value on a card, which has no table header. */
function CardLabel({ children }: { children: ReactNode }) {
  return <span className="text-muted-foreground md:hidden">{children}</span>;
}
