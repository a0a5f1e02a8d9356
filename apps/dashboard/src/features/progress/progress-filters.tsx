"use client";

import type { ListedProgressEntry, OutputOf } from "@merkle/wire";
import { Plus } from "lucide-react";
import { useId } from "react";
import { SearchField, sortChoices, TagsField } from "@/components/list-page";
import { setQuery } from "@/core/address/address";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import type { ProgressChoice } from "./progress-choice";

export interface ProgressFiltersProps {
  readonly choice: ProgressChoice;
  /** The entries shown, from which the filters get their authors and tags. */
  readonly entries: readonly ListedProgressEntry[];
  /** Null inside a session, which shows the entries of all projects. */
  readonly projects: OutputOf<"list_progress_projects">["projects"] | null;
  readonly onLog: () => void;
}

/** The filters of progress entries. They are stored in the URL, so that a selection can be shared. */
export function ProgressFilters({ choice, entries, projects, onLog }: ProgressFiltersProps) {
  const id = useId();
  const authors = sortChoices(
    entries.map(({ loggedBy }) => loggedBy),
    choice.by,
  );
  const names = (projects ?? []).map(({ projectId }) => projectId);
  const projectNames =
    choice.project === null || names.includes(choice.project) ? names : [choice.project, ...names];
  return (
    <search className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <SearchField
          label="Search the progress log"
          group="Progress"
          placeholder="Search titles and text"
          className="min-w-0 flex-1"
        />
        <Button onClick={onLog}>
          <Plus aria-hidden />
          Log progress
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {projects !== null && (
          <Select
            aria-label="Project"
            className="w-40 lg:hidden"
            value={choice.project ?? ""}
            onChange={(project) => setQuery({ project, before: null, p: null })}
            options={[["", "All projects"], ...projectNames.map((name) => [name, name] as const)]}
          />
        )}
        <TagsField suggestions={entries.flatMap(({ tags }) => tags)} className="w-28" />
        <Select
          aria-label="Logged by"
          className="w-36"
          value={choice.by ?? ""}
          onChange={(by) => setQuery({ by, before: null })}
          options={[["", "By anyone"], ...authors.map((name) => [name, name] as const)]}
        />
        <Day id={`${id}-from`} label="From" name="from" value={choice.from} />
        <Day id={`${id}-to`} label="To" name="to" value={choice.to} />
      </div>
    </search>
  );
}

interface DayProps {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly value: string | null;
}

function Day({ id, label, name, value }: DayProps) {
  return (
    <span className="inline-flex items-center gap-1.5 text-sm text-muted-foreground">
      <label htmlFor={id} title={`${label} this day (UTC)`}>
        {label}
      </label>
      <Input
        id={id}
        type="date"
        className="w-36"
        value={value ?? ""}
        onChange={(event) => setQuery({ [name]: event.target.value, before: null })}
      />
    </span>
  );
}
