"use client";

import { useId } from "react";
import { Select } from "@/ui/select";
import { type SessionListSort, type SessionQuery, sortLabels } from "./session-query";

export interface SessionChoicesProps {
  readonly query: SessionQuery;
  readonly teams: readonly string[];
  readonly onChange: (change: Partial<SessionQuery>) => void;
}

/** The choice of a team and of the sort order. Loads while the page waits for the list. */
export function SessionChoices({ query, teams, onChange }: SessionChoicesProps) {
  return (
    <>
      <TeamFilter team={query.team} teams={teams} onChange={(team) => onChange({ team })} />
      <Choice
        label="Sort"
        value={query.sort}
        // The options are exactly the keys of the labels.
        onChange={(sort) => onChange({ sort: sort as SessionListSort })}
        options={Object.entries(sortLabels)}
      />
    </>
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
