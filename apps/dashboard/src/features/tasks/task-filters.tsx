"use client";

import type { Task } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import { useQueryParam } from "@/core/address/use-query-param";
import { useTypedParam } from "@/core/address/use-typed-param";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Segmented } from "@/ui/segmented";
import { Select } from "@/ui/select";
import { focuses, hasConditions, listAssignees, listLabels, type TaskFilter } from "./task-filter";

/** Returns the filter that the URL contains, so that a filtered list can be shared and survives a reload. */
export function useTaskFilter(): TaskFilter {
  const [show] = useQueryParam("show");
  const [label] = useQueryParam("label");
  const [assignee] = useQueryParam("assignee");
  const [text] = useQueryParam("q");
  return { focus: focuses.find((each) => each === show) ?? null, label, assignee, text: text ?? "" };
}

export interface TaskFiltersProps {
  readonly filter: TaskFilter;
  /** Whether the page knows which tasks are the person's. Only a session's page does. */
  readonly hasMine: boolean;
  /** The tasks whose labels and assignees are offered. */
  readonly tasks: readonly Task[];
  /** How many of how many tasks are shown. Undefined while they load. */
  readonly counts: { readonly shown: number; readonly total: number } | undefined;
}

export function TaskFilters({ filter, hasMine, tasks, counts }: TaskFiltersProps) {
  const [, typed, type] = useTypedParam("q");
  const [, setShow] = useQueryParam("show");
  const [, setLabel] = useQueryParam("label");
  const [, setAssignee] = useQueryParam("assignee");

  function clear(): void {
    type("");
    for (const set of [setShow, setLabel, setAssignee]) set(null, { replace: true });
  }

  return (
    <search aria-label="Filter tasks" className="flex flex-wrap items-center gap-2">
      <Segmented
        label="Show"
        value={filter.focus ?? "all"}
        onChange={(show) => setShow(show === "all" ? null : show, { replace: true })}
        options={[
          { value: "all", label: "All" },
          ...(hasMine ? [{ value: "mine", label: "Mine" } as const] : []),
          { value: "ready", label: "Ready" },
          { value: "stuck", label: "Stuck" },
        ]}
      />
      <Choice title="Label" chosen={filter.label} values={listLabels(tasks)} onChange={setLabel} />
      <Choice
        title="Assignee"
        chosen={filter.assignee}
        values={listAssignees(tasks)}
        format={shortenAddress}
        onChange={setAssignee}
      />
      <Input
        type="search"
        aria-label="Find a task"
        placeholder="Find by title or number"
        className="min-w-32 flex-1 sm:max-w-56"
        value={typed}
        onChange={({ target }) => type(target.value)}
      />
      {hasConditions(filter) && (
        <>
          <p role="status" className="text-sm text-muted-foreground tabular-nums">
            {counts && `${counts.shown} of ${counts.total} tasks`}
          </p>
          <Button variant="ghost" size="sm" onClick={clear}>
            Clear filters
          </Button>
        </>
      )}
    </search>
  );
}

interface ChoiceProps {
  readonly title: string;
  readonly chosen: string | null;
  readonly values: readonly string[];
  readonly format?: (value: string) => string;
  readonly onChange: (value: string | null, options: { readonly replace: boolean }) => void;
}

/** A condition that can have one of several values. */
function Choice({ title, chosen, values, format = (value) => value, onChange }: ChoiceProps) {
  // A value of the URL stays selectable although no task has it any more.
  const all = chosen === null || values.includes(chosen) ? values : [chosen, ...values];
  if (all.length === 0) return null;
  return (
    <Select
      aria-label={title}
      className="max-w-44"
      value={chosen ?? ""}
      onChange={(value) => onChange(value, { replace: true })}
      options={[
        ["", `Any ${title.toLowerCase()}`] as const,
        ...all.map((each) => [each, format(each)] as const),
      ]}
    />
  );
}
