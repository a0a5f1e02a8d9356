"use client";

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { PageLink } from "@/components/page-link";
import { useShortcut } from "@/core/keyboard/use-shortcut";
import { lazyPart } from "@/core/lazy-part";
import { Segmented } from "@/ui/segmented";
import type { SessionChoicesProps } from "./session-choices";
import type { SessionQuery } from "./session-query";

const SessionChoices = lazyPart(() => import("./session-choices"), "SessionChoices");

export interface SessionFiltersProps extends SessionChoicesProps {
  /** The number of open and closed sessions, if known. */
  readonly counts: { readonly active: number; readonly closed: number } | null;
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
      <span className="ml-auto flex min-h-8 min-w-0 items-center gap-2 max-sm:w-full pointer-coarse:min-h-11">
        <SessionChoices query={query} teams={teams} onChange={onChange} />
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
