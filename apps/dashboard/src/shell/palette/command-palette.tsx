"use client";

import { Command } from "cmdk";
import { CornerDownLeft, Search } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { Fragment, type KeyboardEvent, useEffect, useLayoutEffect, useState } from "react";
import { useRead } from "@/broker/use-read";
import type { TypedAhead } from "@/core/keyboard/typed-ahead";
import { useSettled } from "@/core/use-settled";
import type { PaletteEntry, PaletteHitsProps, PalettePart } from "@/parts/feature";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Dialog, DialogContent, DialogTitle } from "@/ui/dialog";
import { Kbd } from "@/ui/kbd";
import { entryIcons } from "./entry-icons";
import { findEntries } from "./palette-entries";
import { PaletteGroup, PaletteItem } from "./palette-group";
import { useActionEntries, usePaletteEntries, usePlaceEntries } from "./use-palette-entries";
import { useSelection } from "./use-selection";

export interface CommandPaletteProps {
  /** Keys typed while the palette was loading. */
  readonly typed: TypedAhead;
  readonly onClose: () => void;
  readonly onHelp: () => void;
  /** The parts that features add. */
  readonly parts: readonly PalettePart[];
}

const recentShown = 6;
const foundSessionsMax = 6;

/**
 * Finds pages, sessions, people, tasks, files and messages, and runs the page's actions. Local entries appear immediately.
 * Results from the broker are added below, so that the selected entry never moves.
 */
export function CommandPalette({ typed: typedAhead, onClose, onHelp, parts }: CommandPaletteProps) {
  const router = useRouter();
  const [input, setInput] = useState(typedAhead.text);
  const query = input.trim();
  const selection = useSelection();
  const places = usePlaceEntries();
  const { entries, isReading } = useEntries({ parts, onHelp });
  const pathname = usePathname();
  const isSearching = query !== "";
  const groups = isSearching
    ? groupMatches([...entries, ...places], toMessageEntries(query, pathname), query)
    : [];
  const matches = groups.flatMap((group) => group.entries);
  const matchKeys = new Set(matches.map(({ key }) => key));

  function choose({ href, run }: PaletteEntry): void {
    onClose();
    if (href !== undefined) router.push(href);
    run?.();
  }
  function changeInput(text: string): void {
    selection.startOver();
    setInput(text);
  }
  const go = (href: string) => choose({ key: href, kind: "page", label: "", note: "", href });

  // Enter opens the first entry, so its page is prefetched while the person types.
  const [first] = matches;
  useEffect(() => {
    if (first?.href !== undefined) router.prefetch(first.href);
  }, [router, first?.href]);
  // True if Enter was pressed before any entry was found. The first entry found is then opened.
  const [isEntered, setEntered] = useState(false);
  useLayoutEffect(() => {
    // Copies the keys typed so far into the field, which receives all further keys.
    setInput(typedAhead.text);
    setEntered(typedAhead.isEntered);
  }, [typedAhead]);
  useEffect(() => {
    if (!isEntered || isReading) return;
    setEntered(false);
    if (first) choose(first);
    else if (isSearching) go(buildSearchHref(query));
  });
  function keepEnter(event: KeyboardEvent): void {
    selection.props.onKeyDown(event);
    if (event.key !== "Enter" || !isReading) return;
    event.preventDefault();
    setEntered(true);
  }

  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        showCloseButton={false}
        className="mt-[12dvh] mb-auto gap-0 overflow-hidden p-0 open:gap-0 sm:max-w-2xl sm:p-0"
      >
        <DialogTitle className="sr-only">Command menu</DialogTitle>
        <Command
          label="Command menu"
          className="min-w-0"
          shouldFilter={false}
          loop
          {...selection.props}
          onKeyDown={keepEnter}
        >
          <div className="flex items-center gap-2.5 border-b px-4">
            <Search aria-hidden className="size-4 shrink-0 text-muted-foreground" />
            <Command.Input
              // The dialog focuses the element that has `autofocus`.
              ref={(field) => field?.setAttribute("autofocus", "")}
              value={input}
              onValueChange={changeInput}
              placeholder="Find anything or run a command…"
              className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-muted-foreground"
            />
          </div>
          <Command.List ref={selection.list} className="max-h-[60dvh] scroll-py-2 overflow-y-auto p-2">
            <Command.Empty className="p-4 text-center text-muted-foreground">No results.</Command.Empty>
            {isSearching ? (
              <>
                {groups.map((group) => (
                  <EntryGroup key={group.heading} {...group} onChoose={choose} />
                ))}
                <Sessions query={query} known={matchKeys} onGo={go} />
                {parts.map(({ Hits }, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the list of parts never changes.
                  <Fragment key={at}>{Hits && <Hits query={query} onGo={go} />}</Fragment>
                ))}
              </>
            ) : (
              <>
                <EntryGroup
                  heading="Sessions"
                  entries={entries
                    .filter(({ kind, note, href }) => kind === "session" && note === "" && href !== pathname)
                    .slice(0, recentShown)}
                  onChoose={choose}
                />
                <EntryGroup
                  heading="Here"
                  entries={entries.filter(({ kind }) => kind === "action")}
                  onChoose={choose}
                />
                <EntryGroup heading="Pages" entries={places} onChoose={choose} />
              </>
            )}
          </Command.List>
          <p
            aria-hidden
            className="flex items-center gap-4 border-t bg-surface px-4 py-2 text-sm text-muted-foreground pointer-coarse:hidden"
          >
            <span className="flex items-center gap-1.5">
              <Kbd>↑</Kbd> <Kbd>↓</Kbd> choose
            </span>
            <span className="flex items-center gap-1.5">
              <Kbd>
                <CornerDownLeft className="size-3" />
              </Kbd>{" "}
              open
            </span>
            <span className="flex items-center gap-1.5">
              <Kbd>Esc</Kbd> close
            </span>
          </p>
        </Command>
      </DialogContent>
    </Dialog>
  );
}

interface EntriesProps {
  readonly parts: readonly PalettePart[];
  readonly onHelp: () => void;
}

/** Returns the cached sessions, people and tasks, and the actions of the page. */
function useEntries({ parts, onHelp }: EntriesProps): {
  entries: readonly PaletteEntry[];
  isReading: boolean;
} {
  const partEntries = usePaletteEntries(parts);
  const help: PaletteEntry = {
    key: "action help",
    kind: "action",
    label: "Show keyboard shortcuts",
    note: "",
    keywords: ["help", "shortcuts"],
    run: onHelp,
  };
  return {
    entries: [...(partEntries ?? []), ...useActionEntries(), help],
    isReading: partEntries === null,
  };
}

function buildSearchHref(query: string): string {
  return `/search?q=${encodeURIComponent(query)}`;
}

/** Returns an entry for a message if the query is a number and the page shows a session. */
function toMessageEntries(query: string, pathname: string): readonly PaletteEntry[] {
  const [, sequence] = /^#?(\d{1,15})$/.exec(query) ?? [];
  const [, slug] = /^\/sessions\/([^/]+)/.exec(pathname) ?? [];
  if (sequence === undefined || slug === undefined) return [];
  const href = `/sessions/${slug}?m=${sequence}`;
  return [{ key: href, kind: "message", label: `Message ${sequence}`, note: "of this session", href }];
}

const foundTasksMax = 5;

/** Groups the entries that match. Tasks are a group of their own, which is first if a task matches best. */
function groupMatches(
  entries: readonly PaletteEntry[],
  messages: readonly PaletteEntry[],
  query: string,
): readonly Pick<EntryGroupProps, "heading" | "entries">[] {
  const isTask = ({ kind }: PaletteEntry) => kind === "task";
  const found = findEntries(
    entries.filter((entry) => !isTask(entry)),
    query,
  );
  const tasks = findEntries(entries.filter(isTask), query).slice(0, foundTasksMax);
  const groups = [
    { heading: "Best matches", entries: [...messages, ...found] },
    { heading: "Tasks", entries: tasks },
  ];
  const [best] = [...messages, ...findEntries(entries, query)];
  return best && isTask(best) ? groups.reverse() : groups;
}

interface EntryGroupProps {
  readonly heading: string;
  readonly entries: readonly PaletteEntry[];
  readonly onChoose: (entry: PaletteEntry) => void;
}

function EntryGroup({ heading, entries, onChoose }: EntryGroupProps) {
  return (
    <PaletteGroup heading={heading} isEmpty={entries.length === 0}>
      {entries.map((entry) => (
        <PaletteItem
          key={entry.key}
          // An entry may be in two groups, and the list needs unique values.
          value={`${heading} ${entry.key}`}
          Icon={entryIcons[entry.kind]}
          note={entry.note}
          onSelect={() => onChoose(entry)}
        >
          {showHidden(entry.label)}
        </PaletteItem>
      ))}
    </PaletteGroup>
  );
}

/** Sessions that are not among the cached entries: older sessions, and sessions whose description matches. */
function Sessions({ query, known, onGo }: PaletteHitsProps & { readonly known: ReadonlySet<string> }) {
  const settledQuery = useSettled(query);
  const { data } = useRead(
    "list_sessions",
    { limit: foundSessionsMax, query: settledQuery },
    { keepLast: true },
  );
  const sessions = (data?.sessions ?? []).filter(({ slug }) => !known.has(`session ${slug}`));
  return (
    <PaletteGroup heading="More sessions" isEmpty={sessions.length === 0}>
      {sessions.map(({ slug, title, status }) => (
        <PaletteItem
          key={slug}
          value={`more ${slug}`}
          Icon={entryIcons.session}
          note={status === "closed" ? "closed" : ""}
          onSelect={() => onGo(`/sessions/${slug}`)}
        >
          {showHidden(title)}
        </PaletteItem>
      ))}
    </PaletteGroup>
  );
}
