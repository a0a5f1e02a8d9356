"use client";

import { ListFilter, Search, X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useId, useState } from "react";
import { setQuery } from "@/core/address/address";
import { cn } from "@/core/utils";
import { type FeedType, type FeedViewFilter, feedTypes, isFiltered } from "@/feed/store/feed-filter";
import type { Thread } from "@/feed/store/threads";
import { useSession } from "@/sessions/session-context";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Button } from "@/ui/button";
import { Select } from "@/ui/select";

export interface FilterBarProps {
  readonly filter: FeedViewFilter;
  /** Number of loaded messages that the filter hides. */
  readonly hiddenCount: number;
  /** The threads among the loaded messages. */
  readonly threads: readonly Thread[];
  /** Title of the thread that the filter selects, if any. */
  readonly title: string | null;
  readonly findField: RefObject<HTMLInputElement | null>;
  /** Further controls, shown next to the filters on a phone. */
  readonly tools: ReactNode;
  /** Whether the filters are expanded on a phone. */
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

const labels: Readonly<Record<FeedType, string>> = {
  chat: "Chat",
  ask: "Asks",
  decision: "Decisions",
  system: "System",
};

/** The filters of the feed, stored in the URL. Shows how many messages they hide. */
export function FilterBar(props: FilterBarProps) {
  const { filter, hiddenCount, threads, title, findField, tools, isOpen, onOpen } = props;
  const id = useId();
  const isOn = isFiltered(filter);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-1.5 border-b px-2 py-1.5 max-md:py-0">
      {/* On a phone the messages need the space, so the filters are behind a button. */}
      <Button
        variant="ghost"
        size="sm"
        aria-expanded={isOpen}
        aria-controls={id}
        className={cn("text-muted-foreground md:hidden", isOn && "text-link")}
        onClick={() => onOpen(!isOpen)}
      >
        <ListFilter aria-hidden /> Filter
      </Button>
      {tools}
      {/* biome-ignore lint/a11y/useSemanticElements: search would be announced as the page's own. */}
      <div
        id={id}
        role="group"
        aria-label="Filter feed"
        className={cn(
          "min-w-0 flex-wrap items-center gap-1.5 md:flex md:flex-1",
          isOpen ? "flex max-md:order-last max-md:w-full max-md:pb-1" : "max-md:hidden",
        )}
      >
        <div className="flex flex-wrap gap-1">
          {feedTypes.map((type) => (
            <Chip key={type} type={type} types={filter.types} />
          ))}
        </div>
        <TeamSelect team={filter.team} />
        {(threads.length > 0 || filter.thread !== null) && (
          <ThreadSelect thread={filter.thread} title={title} threads={threads} />
        )}
        <FindField q={filter.q} field={findField} />
      </div>
      {isOn && (
        <Button
          variant="ghost"
          size="sm"
          className="text-muted-foreground tabular-nums max-md:ms-auto"
          onClick={clearFilter}
        >
          {hiddenCount > 0 ? `${hiddenCount.toLocaleString("en")} hidden · show all` : "Show all"}
        </Button>
      )}
    </div>
  );
}

export function clearFilter(): void {
  setQuery({ types: null, team: null, q: null, thread: null });
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
    <Select
      aria-label="Team"
      value={team ?? ""}
      onChange={(name) => setQuery({ team: name === "" ? null : name })}
      className="h-7 max-w-36 text-sm"
      options={[["", "All teams"], ...names.map((name) => [name, showHidden(name)] as const)]}
    />
  );
}

const offeredThreadsMax = 20;

interface ThreadSelectProps extends Pick<FilterBarProps, "threads" | "title"> {
  readonly thread: number | null;
}

/** A select with the threads, each named by its first line. */
function ThreadSelect({ thread, title, threads }: ThreadSelectProps) {
  const otherThreads = threads.filter(({ root }) => root !== thread).slice(0, offeredThreadsMax);
  return (
    <Select
      aria-label="Thread"
      value={thread === null ? "" : String(thread)}
      onChange={(root) => setQuery({ thread: root === "" ? null : root, m: null })}
      className="h-7 w-28 min-w-0 text-sm max-md:w-40"
      options={[
        ["", "All threads"],
        ...(thread === null ? [] : [[String(thread), showHidden(title ?? `#${thread}`)] as const]),
        ...otherThreads.map(
          ({ root, title: threadTitle, replies }) =>
            [String(root), `${showHidden(threadTitle)} (${replies})`] as const,
        ),
      ]}
    />
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
  const [appliedQuery, setAppliedQuery] = useState(q);
  if (appliedQuery !== q) {
    // The URL changed from outside this field: by a link, Back, or clearing the filter.
    setAppliedQuery(q);
    setText(q ?? "");
  }
  useEffect(() => {
    if (text.trim() === (q ?? "")) return;
    const timer = setTimeout(() => {
      const next = text.trim() === "" ? null : text.trim();
      setAppliedQuery(next);
      setQuery({ q: next }, { replace: q !== null });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text, q]);
  return (
    <div className="relative min-w-20 flex-1 basis-20 max-md:min-w-44">
      <Search
        aria-hidden
        className="pointer-events-none absolute inset-y-0 start-2 my-auto size-3.5 text-muted-foreground"
      />
      <input
        ref={field}
        type="text"
        aria-label="Find in feed"
        placeholder="Find  /"
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
          aria-label="Clear search"
          onClick={() => setText("")}
          className="absolute inset-y-0 end-0 my-auto flex size-7 items-center justify-center rounded-md text-muted-foreground hover:text-foreground"
        >
          <X aria-hidden className="size-3.5" />
        </button>
      )}
    </div>
  );
}
