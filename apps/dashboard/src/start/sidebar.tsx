"use client";

import { unreadText } from "@merkle/wire";
import { Bell, BookOpen, Bot, Ellipsis, LayoutList, Search, Settings2 } from "lucide-react";
import { usePathname } from "next/navigation";
import { lazy, Suspense, useState } from "react";
import { useRead } from "@/broker/use-read";
import { Logo } from "@/components/logo";
import { PageLink } from "@/components/page-link";
import { useHasSettled } from "@/core/use-has-settled";
import { cn } from "@/core/utils";
import { Keys } from "./keys";
import { NavLink, navRow } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { PlaceWatch } from "./place-watch";
import { laterPlaces } from "./places";
import { useShellActions } from "./shell-keys";
import { useUsedPlaces } from "./used-places";

const MoreLinks = lazy(() => import("@/components/more-links").then((part) => ({ default: part.MoreLinks })));

/**
 * The way to every page: with words where there is room, as icons on narrower screens, and not at all on a phone. Beside the four
 * places of a new mesh it shows those that were used, and under More the others.
 */
export function Sidebar() {
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 hidden h-dvh w-13 shrink-0 flex-col gap-0.5 overflow-y-auto border-r bg-surface p-2 md:flex xl:w-60 print:hidden"
    >
      <PageLink
        ahead="settled"
        href="/"
        aria-label="Merkle home"
        className="mb-2 flex h-8 items-center gap-2 rounded-md px-2 text-lg font-semibold"
      >
        <Logo />
        <span className="hidden xl:inline">merkle</span>
      </PageLink>
      <SearchButton />
      <NavLink href="/needs-you" label="Needs you" Icon={Bell} note={<NeedsYouCount />} />
      <NavLink href="/" label="Sessions" Icon={LayoutList} />
      <RecentSessions />
      <NavLink href="/agents" label="Agents" Icon={Bot} />
      <LaterPlaces />
      {/* Pages of another site, which the broker serves beside these. */}
      <a href="/docs/" title="Docs" className={cn(navRow, "mt-auto")}>
        <BookOpen aria-hidden className="size-4 shrink-0" />
        <span className="sr-only xl:not-sr-only xl:flex-1">Docs</span>
      </a>
    </nav>
  );
}

/** The pages that were used, the one that is open, the settings, and a button for the others with how many there are. */
function LaterPlaces() {
  const pathname = usePathname();
  const [used] = useUsedPlaces();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const hasSettled = useHasSettled();
  const isShown = (href: string) => used.includes(href) || href === pathname;
  const hidden = laterPlaces.filter(({ href }) => !isShown(href));
  return (
    <>
      {laterPlaces
        .filter(({ href }) => isShown(href))
        .map((place) => (
          <NavLink key={place.href} {...place} />
        ))}
      <NavLink href="/settings" label="Settings" Icon={Settings2} />
      {hidden.length > 0 && (
        <button
          type="button"
          title="More pages"
          aria-haspopup="dialog"
          aria-expanded={anchor !== null}
          onClick={(event) => setAnchor(event.currentTarget)}
          className={navRow}
        >
          <Ellipsis aria-hidden className="size-4 shrink-0" />
          <span className="sr-only text-left xl:not-sr-only xl:flex-1">More</span>
          <span className="hidden text-sm tabular-nums xl:inline">{hidden.length}</span>
        </button>
      )}
      {anchor && (
        <Suspense>
          <MoreLinks label="More pages" links={hidden} anchor={anchor} onClose={() => setAnchor(null)} />
        </Suspense>
      )}
      {hasSettled && hidden.length > 0 && <PlaceWatch />}
    </>
  );
}

/** Opens the palette, which searches and more; the page of its own is one of the things that it leads to. */
function SearchButton() {
  const { openPalette } = useShellActions();
  return (
    <button
      type="button"
      title="Search or run a command"
      aria-haspopup="dialog"
      onClick={openPalette}
      className={navRow}
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="sr-only text-left xl:not-sr-only xl:flex-1">Search</span>
      <span aria-hidden className="hidden xl:inline">
        <Keys keys="mod+k" />
      </span>
    </button>
  );
}

const shown = 8;

/** The sessions in which something was said last, with what is new in them. */
function RecentSessions() {
  const pathname = usePathname();
  const { data } = useRead(
    "list_sessions",
    { status: "open", sort: "said", limit: shown },
    { on: ["sessions", "person"] },
  );
  if (!data || data.sessions.length === 0) return null;
  return (
    <ul aria-label="Recent sessions" className="hidden flex-col gap-0.5 pl-6 xl:flex">
      {data.sessions.map(({ session_id, slug, title, unread }) => (
        <li key={session_id}>
          <PageLink
            href={`/sessions/${slug}`}
            title={title}
            aria-current={pathname.startsWith(`/sessions/${slug}`) ? "page" : undefined}
            className="flex h-7 items-center gap-2 rounded-md px-2 text-sm text-muted-foreground hover:bg-raised hover:text-foreground aria-[current=page]:bg-raised aria-[current=page]:text-foreground"
          >
            <span dir="auto" className="flex-1 truncate text-left">
              {title}
            </span>
            {unread !== null && unread > 0 && (
              <span className="font-medium text-foreground tabular-nums">{unreadText(unread)}</span>
            )}
          </PageLink>
        </li>
      ))}
    </ul>
  );
}
