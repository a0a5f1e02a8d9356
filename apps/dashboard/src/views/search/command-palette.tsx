"use client";

import { sourceHref } from "@merkle/wire";
import { Command } from "cmdk";
import {
  ArrowRight,
  CornerDownLeft,
  Files,
  FileText,
  Hash,
  ListTodo,
  type LucideIcon,
  MessagesSquare,
  Search,
  UserRound,
  Zap,
} from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from "react";
import { useRead } from "@/broker/use-read";
import { useShortcutRegistry } from "@/core/keyboard/shortcut-provider";
import type { TypedAhead } from "@/core/keyboard/typed-ahead";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkedText } from "@/text/marked-text";
import { Dialog, DialogContent, DialogTitle } from "@/ui/dialog";
import { Kbd } from "@/ui/kbd";
import { hrefOfHit, kindLabels, titleOfHit } from "@/views/search/search-hits";
import { useSearch } from "@/views/search/use-search";
import { hitIcons } from "./hit-icons";
import { findEntries, type PaletteEntry, type PaletteKind } from "./palette-entries";
import { usePaletteEntries } from "./use-palette-entries";
import { useSelection } from "./use-selection";
import { useSettled } from "./use-settled";

export { PaletteAhead } from "./use-palette-entries";

export interface CommandPaletteProps {
  /** What was typed before it was there. */
  readonly typed: TypedAhead;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

const recentShown = 6;
const foundSessionsMax = 6;
const filesShown = 6;
const hitsShown = 8;

const places: readonly PaletteEntry[] = [
  ["Sessions", "/"],
  ["Needs you", "/needs-you"],
  ["Agents", "/agents"],
  ["Approvals", "/approvals"],
  ["Tasks", "/tasks"],
  ["Search", "/search"],
  ["Memory", "/memory"],
  ["Progress", "/progress"],
  ["Files", "/sources"],
  ["Verify a record", "/verify"],
  ["Settings", "/settings"],
].map(([label = "", href = ""]) => ({ key: `page ${href}`, kind: "page", label, note: "", href }));

const icons: Readonly<Record<PaletteKind, LucideIcon>> = {
  session: MessagesSquare,
  person: UserRound,
  page: ArrowRight,
  action: Zap,
  task: ListTodo,
  message: Hash,
};

/**
 * Leads to every page, session, person, task, file and message, and does what the page offers, all by typing. What it knows by
 * itself stands first, at once; what the broker finds comes in below, so that the chosen entry stays where it is.
 */
export function CommandPalette({ typed: ahead, onClose, onHelp }: CommandPaletteProps) {
  const router = useRouter();
  const [typed, setTyped] = useState(ahead.text);
  const query = typed.trim();
  const selection = useSelection();
  const { entries, isReading } = useEntries(onHelp);
  const pathname = usePathname();
  const isSearching = query !== "";
  const found = isSearching ? [...toMessage(query, pathname), ...findEntries(entries, query)] : [];
  const known = new Set(found.map(({ key }) => key));

  function choose({ href, run }: PaletteEntry): void {
    onClose();
    if (href !== undefined) router.push(href);
    run?.();
  }
  function type(text: string): void {
    selection.startOver();
    setTyped(text);
  }
  const go = (href: string) => choose({ key: href, kind: "page", label: "", note: "", href });

  // What Enter is for is loaded while the hand is on its way there.
  const [first] = found;
  useEffect(() => {
    if (first?.href !== undefined) router.prefetch(first.href);
  }, [router, first?.href]);
  // Enter was pressed before anything was there to be chosen: it is for the first of what is found by then.
  const [isEntered, setEntered] = useState(false);
  useLayoutEffect(() => {
    // Letters may have come between its first drawing and now, from when on the field takes them.
    setTyped(ahead.text);
    setEntered(ahead.isEntered);
  }, [ahead]);
  useEffect(() => {
    if (!isEntered || isReading) return;
    setEntered(false);
    if (first) choose(first);
    else if (isSearching) go(searchHref(query));
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
              // The dialog gives the focus to what is marked so; else it would be the list's frame, which hears no letters.
              ref={(field) => field?.setAttribute("autofocus", "")}
              value={typed}
              onValueChange={type}
              placeholder="Find anything or run a command…"
              className="h-13 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-muted-foreground"
            />
          </div>
          <Command.List ref={selection.list} className="max-h-[60dvh] scroll-py-2 overflow-y-auto p-2">
            <Command.Empty className="p-4 text-center text-muted-foreground">No results.</Command.Empty>
            {isSearching ? (
              <>
                <EntryGroup heading="Best matches" entries={found} onChoose={choose} />
                <Sessions query={query} known={known} onGo={go} />
                <FileHits query={query} onGo={go} />
                <Hits query={query} onGo={go} />
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

/** Everything that is found without the broker. */
function useEntries(onHelp: () => void): { entries: readonly PaletteEntry[]; isReading: boolean } {
  const registry = useShortcutRegistry();
  const offered = useSyncExternalStore(
    (listener) => registry.onChange(listener),
    () => registry.actions,
  );
  const kept = usePaletteEntries();
  const help = { id: "help", label: "Show keyboard shortcuts", keywords: ["help", "shortcuts"], run: onHelp };
  const actions = [...offered, help].map(
    ({ id, label, keywords = [], run }): PaletteEntry => ({
      key: `action ${id}`,
      kind: "action",
      label,
      note: "",
      words: keywords,
      run,
    }),
  );
  return { entries: [...(kept ?? []), ...actions, ...places], isReading: kept === null };
}

function searchHref(query: string): string {
  return `/search?q=${encodeURIComponent(query)}`;
}

/** On the page of a session a number is a message of it. */
function toMessage(query: string, pathname: string): readonly PaletteEntry[] {
  const [, sequence] = /^#?(\d{1,15})$/.exec(query) ?? [];
  const [, slug] = /^\/sessions\/([^/]+)/.exec(pathname) ?? [];
  if (sequence === undefined || slug === undefined) return [];
  const href = `/sessions/${slug}?m=${sequence}`;
  return [{ key: href, kind: "message", label: `Message ${sequence}`, note: "of this session", href }];
}

interface EntryGroupProps {
  readonly heading: string;
  readonly entries: readonly PaletteEntry[];
  readonly onChoose: (entry: PaletteEntry) => void;
}

function EntryGroup({ heading, entries, onChoose }: EntryGroupProps) {
  return (
    <Group heading={heading} isEmpty={entries.length === 0}>
      {entries.map((entry) => (
        <Item
          key={entry.key}
          // The same entry in another group is another element, and the list must be told of it.
          value={`${heading} ${entry.key}`}
          Icon={icons[entry.kind]}
          note={entry.note}
          onSelect={() => onChoose(entry)}
        >
          {showHidden(entry.label)}
        </Item>
      ))}
    </Group>
  );
}

interface PartProps {
  readonly query: string;
  readonly onGo: (href: string) => void;
}

/** Sessions that are not among those kept: old ones, and such as have the words in their descriptions. */
function Sessions({ query, known, onGo }: PartProps & { readonly known: ReadonlySet<string> }) {
  const settled = useSettled(query);
  const { data } = useRead("list_sessions", { limit: foundSessionsMax, query: settled }, { keepLast: true });
  const sessions = (data?.sessions ?? []).filter(({ slug }) => !known.has(`session ${slug}`));
  return (
    <Group heading="More sessions" isEmpty={sessions.length === 0}>
      {sessions.map(({ slug, title, status }) => (
        <Item
          key={slug}
          value={`more ${slug}`}
          Icon={icons.session}
          note={status === "closed" ? "closed" : ""}
          onSelect={() => onGo(`/sessions/${slug}`)}
        >
          {showHidden(title)}
        </Item>
      ))}
    </Group>
  );
}

function FileHits({ query, onGo }: PartProps) {
  const settled = useSettled(query);
  const { data: named } = useRead("list_sources", { names_only: true });
  const isAsked = settled !== "" && named !== undefined && named.roots.length > 0;
  const { data } = useRead("list_sources", isAsked ? { query: settled, limit: filesShown } : null, {
    keepLast: isAsked,
  });
  const { files, has_more } = data ?? { files: [], has_more: false };
  return (
    <Group heading="Files" isEmpty={files.length === 0}>
      {files.map(({ source_path }) => (
        <Item
          key={source_path}
          value={`file ${source_path}`}
          Icon={FileText}
          onSelect={() => onGo(sourceHref({ file: source_path }))}
        >
          {showHidden(source_path)}
        </Item>
      ))}
      {has_more && (
        <Item
          value="files"
          Icon={Files}
          onSelect={() => onGo(`/sources?q=${encodeURIComponent(query)}`)}
        >{`All files with “${query}” in the path`}</Item>
      )}
    </Group>
  );
}

/** It is still being typed: what begins so is looked for, from so many letters on that it narrows anything. */
const lastWord = /[\p{L}\p{N}]{3}$/u;

function Hits({ query, onGo }: PartProps) {
  const settled = useSettled(query);
  const { data } = useSearch(settled.replace(lastWord, "$&*"), []);
  const hits = (data?.hits ?? [])
    .filter(({ kind }) => kind !== "session")
    .flatMap((hit) => {
      const href = hrefOfHit(hit);
      return href === null ? [] : [{ hit, href }];
    })
    .slice(0, hitsShown);
  return (
    <Group heading="Messages and documents" isEmpty={false}>
      {hits.map(({ hit, href }) => (
        // Several things that were said in one comment open at the same place.
        <Item
          key={`${href} ${hit.sequence}`}
          value={`hit ${href} ${hit.sequence}`}
          Icon={hitIcons[hit.kind]}
          note={titleOfHit(hit)}
          onSelect={() => onGo(href)}
        >
          <span className="sr-only">{kindLabels[hit.kind]}: </span>
          <MarkedText text={hit.marked} />
        </Item>
      ))}
      <Item value="search" Icon={Search} onSelect={() => onGo(searchHref(query))}>
        Search everything for “{query}”
      </Item>
    </Group>
  );
}

function Group({ heading, isEmpty, children }: { heading: string; isEmpty: boolean; children: ReactNode }) {
  if (isEmpty) return null;
  return (
    <Command.Group
      heading={heading}
      className="not-first:mt-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-muted-foreground"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  readonly value: string;
  readonly Icon: LucideIcon;
  readonly note?: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

function Item({ value, Icon, note = "", onSelect, children }: ItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="group/item flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 data-[selected=true]:bg-raised pointer-coarse:min-h-11"
    >
      <Icon
        aria-hidden
        className="size-4 shrink-0 text-muted-foreground group-data-[selected=true]/item:text-link"
      />
      <span dir="auto" className="min-w-0 flex-1 truncate text-start">
        {children}
      </span>
      {note !== "" && (
        <bdi className="max-w-[45%] shrink-0 truncate text-sm text-muted-foreground">{showHidden(note)}</bdi>
      )}
    </Command.Item>
  );
}
