"use client";

import type { ListedProgressEntry, OutputOf } from "@merkle/wire";
import { Plus } from "lucide-react";
import { useId, useMemo } from "react";
import { setQuery } from "@/core/address/address";
import { useTypedParam } from "@/core/address/use-typed-param";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";
import { NativeSelect } from "@/ui/native-select";
import type { ProgressChoice } from "./progress-choice";

export interface ProgressFiltersProps {
  readonly choice: ProgressChoice;
  /** The entries that are shown, whose authors and tags can be chosen. */
  readonly known: readonly ListedProgressEntry[];
  /** Null where all projects are looked at together. */
  readonly projects: OutputOf<"list_progress_projects">["projects"] | null;
  readonly onLog: () => void;
}

/** The filters of progress entries. Each is in the address, so that a choice can be sent on. */
export function ProgressFilters({ choice, known, projects, onLog }: ProgressFiltersProps) {
  const [, text, setText] = useTypedParam("q");
  const [, tag, setTag] = useTypedParam("tag");
  const id = useId();
  const authors = useMemo(
    () =>
      namesIn(
        known.map(({ loggedBy }) => loggedBy),
        choice.by,
      ),
    [known, choice.by],
  );
  const tags = useMemo(
    () =>
      namesIn(
        known.flatMap((entry) => entry.tags),
        null,
      ),
    [known],
  );
  const names = (projects ?? []).map(({ projectId }) => projectId);
  useShortcut("/", () => document.getElementById(`${id}-q`)?.focus(), {
    label: "Search the progress log",
    group: "Progress",
  });

  return (
    <search className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <label htmlFor={`${id}-q`} className="sr-only">
          Search the progress log
        </label>
        <Input
          id={`${id}-q`}
          type="search"
          dir="auto"
          className="min-w-0 flex-1"
          placeholder="Search titles and text"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button onClick={onLog}>
          <Plus aria-hidden />
          Log progress
        </Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {projects !== null && (
          <NativeSelect
            aria-label="Project"
            className="w-40 lg:hidden"
            value={choice.project ?? ""}
            onChange={(event) => setQuery({ project: event.target.value, before: null, p: null })}
          >
            <option value="">All projects</option>
            {withChosen(names, choice.project).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </NativeSelect>
        )}
        <label htmlFor={`${id}-tag`} className="sr-only">
          Tags, separated by commas
        </label>
        <Input
          id={`${id}-tag`}
          className="w-28"
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
          aria-label="Logged by"
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

/** Returns the values to choose from: those seen on the page, and the one that is chosen already. */
function namesIn(seen: readonly string[], chosen: string | null): readonly string[] {
  return [...withChosen([...new Set(seen)], chosen)].sort((a, b) => a.localeCompare(b));
}

function withChosen(names: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null || names.includes(chosen) ? names : [chosen, ...names];
}
