"use client";

import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { PageLink } from "@/components/page-link";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { Segmented } from "@/ui/segmented";
import { Select } from "@/ui/select";
import { type SessionListSort, type SessionQuery, sortLabels } from "./session-query";

export interface SessionFiltersProps {
  readonly query: SessionQuery;
  /** The number of open and closed sessions, if known. */
  readonly counts: { readonly active: number; readonly closed: number } | null;
  readonly teams: readonly string[];
  readonly onChange: (change: Partial<SessionQuery>) => void;
}

const states = ["open", "closed", "all"] as const;

export function SessionFilters({ query, counts, teams, onChange }: SessionFiltersProps) {
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <Segmented
        label="Show sessions"
        value={query.state}
        onChange={(state) => onChange({ state })}
        options={states.map((state) => ({
          value: state,
          label: (
            <span className="flex gap-1.5 capitalize">
              {state}
              {counts && (
                <span className="text-muted-foreground tabular-nums">{getCount(state, counts)}</span>
              )}
            </span>
          ),
        }))}
      />
      <FilterField text={query.q} onChange={(q) => onChange({ q })} />
      <PageLink
        href="/?undelivered=all"
        className="inline-flex min-h-8 items-center px-1 text-sm text-muted-foreground hover:underline pointer-coarse:min-h-11"
      >
        Undelivered
      </PageLink>
      <span className="ml-auto flex min-w-0 items-center gap-2 max-sm:w-full">
        <TeamFilter team={query.team} teams={teams} onChange={(team) => onChange({ team })} />
        <Choice
          label="Sort"
          value={query.sort}
          // The options are exactly the keys of the labels.
          onChange={(sort) => onChange({ sort: sort as SessionListSort })}
          options={Object.entries(sortLabels)}
        />
      </span>
    </search>
  );
}

function getCount(state: SessionQuery["state"], { active, closed }: { active: number; closed: number }) {
  if (state === "all") return active + closed;
  return state === "open" ? active : closed;
}

const settleMs = 200;

/** A filter field that queries the broker once typing pauses. */
function FilterField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [draft, setDraft] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  useShortcut("/", () => field.current?.focus(), { label: "Filter sessions", group: "Sessions" });
  useEffect(() => setDraft(text), [text]);
  useEffect(() => {
    if (draft === text) return;
    const timer = setTimeout(() => onChange(draft), settleMs);
    return () => clearTimeout(timer);
  }, [draft, text, onChange]);
  return (
    <label className="relative min-w-40 flex-1 sm:max-w-64">
      <span className="sr-only">Filter by title, description or slug</span>
      <Search
        aria-hidden
        className="pointer-events-none absolute inset-y-0 left-2 my-auto size-4 text-muted-foreground"
      />
      <input
        ref={field}
        type="search"
        value={draft}
        placeholder="Filter…"
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          setDraft("");
          onChange("");
          field.current?.blur();
        }}
        className="h-8 w-full rounded-md border border-input bg-background pr-2 pl-8 pointer-coarse:h-11"
      />
    </label>
  );
}

function TeamFilter({
  team,
  teams,
  onChange,
}: {
  team: string;
  teams: readonly string[];
  onChange: (team: string) => void;
}) {
  const teamNames = team === "" || teams.includes(team) ? teams : [team, ...teams];
  if (teamNames.length < 2 && team === "") return null;
  const options = teamNames.map((name): [string, string] => [name, name]);
  return <Choice label="Team" value={team} onChange={onChange} options={[["", "Any team"], ...options]} />;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <label htmlFor={id} className="text-sm text-muted-foreground max-sm:sr-only">
        {label}
      </label>
      <Select id={id} value={value} onChange={onChange} options={options} className="max-w-60" />
    </span>
  );
}
