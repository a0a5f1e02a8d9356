"use client";

import { sourceHref } from "@merkle/wire";
import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { type ReactNode, useState, useSyncExternalStore } from "react";
import { useRead } from "@/broker/use-read";
import { useShortcutRegistry } from "@/core/keyboard/shortcut-provider";
import { showHidden } from "@/text/markdown/hidden-characters";
import { MarkedText } from "@/text/marked-text";
import { Dialog, DialogContent, DialogTitle } from "@/ui/dialog";
import { hrefOfHit, kindLabels, titleOfHit } from "@/views/search/search-hits";
import { useSearch } from "@/views/search/use-search";
import { useSelection } from "./use-selection";
import { useSettled } from "./use-settled";

export interface CommandPaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
}

const sessionsShown = 6;
const filesShown = 6;
const hitsShown = 8;

const places = [
  { label: "Sessions", href: "/" },
  { label: "Needs you", href: "/needs-you" },
  { label: "Agents", href: "/agents" },
  { label: "Search", href: "/search" },
  { label: "Memory", href: "/memory" },
  { label: "Progress", href: "/progress" },
  { label: "Files", href: "/sources" },
  { label: "Verify a record", href: "/verify" },
  { label: "Settings", href: "/settings" },
];

/** Leads to every page, session, file and message, and does what the page offers, all by typing. */
export function CommandPalette({ onClose, onHelp }: CommandPaletteProps) {
  const router = useRouter();
  const [typed, setTyped] = useState("");
  const query = typed.trim();
  const selection = useSelection();
  const go = (href: string) => {
    onClose();
    router.push(href);
  };
  const type = (text: string) => {
    selection.startOver();
    setTyped(text);
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent
        showCloseButton={false}
        className="mt-[12dvh] mb-auto overflow-hidden p-0 sm:max-w-xl sm:p-0"
      >
        <DialogTitle className="sr-only">Go anywhere, do anything</DialogTitle>
        <Command label="Go anywhere, do anything" shouldFilter={false} loop {...selection.props}>
          <Command.Input
            value={typed}
            onValueChange={type}
            placeholder="Go to a page or session, find a message, do something…"
            className="h-12 w-full border-b bg-transparent px-4 text-lg outline-none placeholder:text-muted-foreground"
          />
          <Command.List ref={selection.list} className="max-h-[60dvh] overflow-y-auto p-2">
            <Command.Empty className="p-4 text-center text-muted-foreground">
              Nothing by these words.
            </Command.Empty>
            <Actions query={query} onClose={onClose} onHelp={onHelp} />
            <Places query={query} onGo={go} />
            <Sessions query={query} onGo={go} />
            <Files query={query} onGo={go} />
            <Hits query={query} onGo={go} />
          </Command.List>
        </Command>
      </DialogContent>
    </Dialog>
  );
}

interface PartProps {
  readonly query: string;
  readonly onGo: (href: string) => void;
}

function Actions({ query, onClose, onHelp }: { query: string } & CommandPaletteProps) {
  const registry = useShortcutRegistry();
  const offered = useSyncExternalStore(
    (listener) => registry.onChange(listener),
    () => registry.actions,
  );
  const help = { id: "help", label: "Show the keys", keywords: ["help", "shortcuts"], run: onHelp };
  const actions = [...offered, help].filter(({ label, keywords = [] }) =>
    matches(query, [label, ...keywords]),
  );
  return (
    <Group heading="Actions" isEmpty={actions.length === 0}>
      {actions.map(({ id, label, run }) => (
        <Item
          key={id}
          value={`action ${id}`}
          onSelect={() => {
            onClose();
            run();
          }}
        >
          {label}
        </Item>
      ))}
    </Group>
  );
}

function Places({ query, onGo }: PartProps) {
  const found = places.filter(({ label }) => matches(query, [label]));
  return (
    <Group heading="Pages" isEmpty={found.length === 0}>
      {found.map(({ label, href }) => (
        <Item key={href} value={`page ${href}`} onSelect={() => onGo(href)}>
          {label}
        </Item>
      ))}
    </Group>
  );
}

function Sessions({ query, onGo }: PartProps) {
  const settled = useSettled(query);
  const { data } = useRead(
    "list_sessions",
    { limit: sessionsShown, ...(settled === "" ? { status: "open" } : { query: settled }) },
    { keepLast: true },
  );
  const sessions = data?.sessions ?? [];
  return (
    <Group heading="Sessions" isEmpty={sessions.length === 0}>
      {sessions.map(({ session_id, slug, title, status }) => (
        <Item key={session_id} value={`session ${slug}`} onSelect={() => onGo(`/sessions/${slug}`)}>
          <span dir="auto" className="truncate">
            {title}
          </span>
          {status === "closed" && <span className="ml-auto text-sm text-muted-foreground">closed</span>}
        </Item>
      ))}
    </Group>
  );
}

function Files({ query, onGo }: PartProps) {
  const settled = useSettled(query);
  const { data: named } = useRead("list_sources", { names_only: true });
  const isAsked = settled !== "" && named !== undefined && named.roots.length > 0;
  const { data } = useRead("list_sources", isAsked ? { query: settled, limit: filesShown } : null, {
    keepLast: isAsked,
  });
  const { files, has_more } = data ?? { files: [], has_more: false };
  return (
    <Group heading="Files" isEmpty={query === "" || files.length === 0}>
      {files.map(({ source_path }) => (
        <Item
          key={source_path}
          value={`file ${source_path}`}
          onSelect={() => onGo(sourceHref({ file: source_path }))}
        >
          <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
            {showHidden(source_path)}
          </span>
        </Item>
      ))}
      {has_more && (
        <Item value="files" onSelect={() => onGo(`/sources?q=${encodeURIComponent(query)}`)}>
          All files whose path holds “{query}”
        </Item>
      )}
    </Group>
  );
}

function Hits({ query, onGo }: PartProps) {
  const settled = useSettled(query);
  const { data } = useSearch(settled, []);
  const hits = (data?.hits ?? [])
    .filter(({ kind }) => kind !== "session")
    .flatMap((hit) => {
      const href = hrefOfHit(hit);
      return href === null ? [] : [{ hit, href }];
    })
    .slice(0, hitsShown);
  if (query === "") return null;
  return (
    <Group heading="Found" isEmpty={false}>
      {hits.map(({ hit, href }) => (
        // Several things that were said in one comment open at the same place.
        <Item
          key={`${href} ${hit.sequence}`}
          value={`hit ${href} ${hit.sequence}`}
          onSelect={() => onGo(href)}
        >
          <span className="shrink-0 text-sm text-muted-foreground">{kindLabels[hit.kind]}</span>
          <span dir="auto" className="min-w-0 flex-1 truncate">
            <MarkedText text={hit.marked} />
          </span>
          <span className="shrink-0 text-sm text-muted-foreground">{titleOfHit(hit)}</span>
        </Item>
      ))}
      <Item value="search" onSelect={() => onGo(`/search?q=${encodeURIComponent(query)}`)}>
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
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-muted-foreground"
    >
      {children}
    </Command.Group>
  );
}

function Item({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex min-h-8 cursor-pointer items-center gap-2 rounded-md px-2 py-1 data-[selected=true]:bg-raised pointer-coarse:min-h-11"
    >
      {children}
    </Command.Item>
  );
}

/** Whether every word that was typed begins a word, or stands in one. */
function matches(query: string, texts: readonly string[]): boolean {
  const text = texts.join(" ").toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
