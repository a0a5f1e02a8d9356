"use client";

import { Search, X } from "lucide-react";
import { type RefObject, useEffect, useState } from "react";
import { setQuery } from "@/core/address/address";
import { cn } from "@/core/utils";
import { type FeedFilter, type FeedType, feedTypes, isFiltered } from "@/feed/store/feed-filter";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";

export interface FilterBarProps {
  readonly filter: FeedFilter;
  /** How many messages the filter leaves out, of those looked at so far. */
  readonly hidden: number;
  readonly findField: RefObject<HTMLInputElement | null>;
}

const labels: Readonly<Record<FeedType, string>> = {
  chat: "Chat",
  ask: "Asks",
  decision: "Decisions",
  system: "System",
};

/** The choice of the part of the feed that is shown, as the address says it. Messages that it hides are counted. */
export function FilterBar({ filter, hidden, findField }: FilterBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: search would be announced as the page's own.
    <div
      role="group"
      aria-label="Filter the feed"
      className="flex min-w-0 items-center gap-1.5 border-b px-2 py-1.5 max-md:overflow-x-auto md:flex-wrap"
    >
      <div className="flex shrink-0 gap-1">
        {feedTypes.map((type) => (
          <Chip key={type} type={type} types={filter.types} />
        ))}
      </div>
      <TeamSelect team={filter.team} />
      <FindField q={filter.q} field={findField} />
      {isFiltered(filter) && (
        <Button
          variant="ghost"
          size="sm"
          className="text-muted-foreground tabular-nums max-md:order-first"
          onClick={clearFilter}
        >
          {hidden > 0 ? `${hidden.toLocaleString("en")} hidden · show all` : "Show all"}
        </Button>
      )}
    </div>
  );
}

export function clearFilter(): void {
  setQuery({ types: null, team: null, q: null });
}

function Chip({ type, types }: { readonly type: FeedType; readonly types: readonly FeedType[] }) {
  const isOn = types.includes(type);
  const next = isOn ? types.filter((other) => other !== type) : [...types, type];
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => setQuery({ types: next.length === feedTypes.length ? null : next.join(",") })}
      className={cn(
        "h-7 rounded-full border px-2.5 text-sm motion-safe:transition-colors pointer-coarse:h-11",
        isOn
          ? "border-primary bg-primary text-primary-foreground"
          : "text-muted-foreground hover:bg-raised hover:text-foreground",
      )}
    >
      {labels[type]}
    </button>
  );
}

function TeamSelect({ team }: { readonly team: string | null }) {
  const { participants } = useSession();
  const names = [...new Set(participants.map(({ team_name }) => team_name))];
  if (team !== null && !names.includes(team)) names.push(team);
  return (
    <select
      aria-label="Team"
      value={team ?? ""}
      onChange={({ target }) => setQuery({ team: target.value === "" ? null : target.value })}
      className="h-7 max-w-36 shrink-0 rounded-md border border-input bg-background px-1.5 text-sm pointer-coarse:h-11"
    >
      <option value="">All teams</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {showHidden(name)}
        </option>
      ))}
    </select>
  );
}

const settleMs = 250;

function FindField({
  q,
  field,
}: {
  readonly q: string | null;
  readonly field: RefObject<HTMLInputElement | null>;
}) {
  const [text, setText] = useState(q ?? "");
  const [asked, setAsked] = useState(q);
  if (asked !== q) {
    // The address changed by other means: a link, Back, or clearing.
    setAsked(q);
    setText(q ?? "");
  }
  useEffect(() => {
    if (text.trim() === (q ?? "")) return;
    const timer = setTimeout(() => {
      const next = text.trim() === "" ? null : text.trim();
      setAsked(next);
      setQuery({ q: next }, { replace: q !== null });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text, q]);
  return (
    <div className="relative min-w-28 flex-1 basis-28 max-md:min-w-44">
      <Search
        aria-hidden
        className="pointer-events-none absolute inset-y-0 start-2 my-auto size-3.5 text-muted-foreground"
      />
      <input
        ref={field}
        type="text"
        aria-label="Find in the feed"
        placeholder="Press / to search"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.preventDefault();
          clearFilter();
          setText("");
          event.currentTarget.blur();
        }}
        className="h-7 w-full rounded-md border border-input bg-background ps-7 pe-7 text-sm placeholder:text-muted-foreground pointer-coarse:h-11"
      />
      {text !== "" && (
        <button
          type="button"
          aria-label="Clear the search"
          onClick={() => setText("")}
          className="absolute inset-y-0 end-0 my-auto flex size-7 items-center justify-center rounded-md text-muted-foreground hover:text-foreground"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}
