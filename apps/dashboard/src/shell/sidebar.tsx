"use client";

import { Bell, BookOpen, Ellipsis, LayoutList, Search } from "lucide-react";
import { usePathname } from "next/navigation";
import { useCallback, useState, useSyncExternalStore } from "react";
import { useOfConnection } from "@/broker/use-connection-state";
import { Logo } from "@/components/logo";
import { PageLink } from "@/components/page-link";
import { useIsMac } from "@/core/keyboard/use-is-mac";
import { lazyHelper, lazyPart } from "@/core/lazy-part";
import { createStoredValue } from "@/core/preferences/stored-value";
import { useHasSettled } from "@/core/use-has-settled";
import { cn } from "@/core/utils";
import { chosenMesh } from "@/identity/chosen-mesh";
import type { NavItem } from "@/parts/feature";
import { Kbd } from "@/ui/kbd";
import { settingsItem, useFeatureNavItems } from "./nav-items";
import { NavLink, navRow } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { useShellActions } from "./shell-keys";

// Loaded lazily, because they show nothing until the broker answers, and load within that time.
const loadReads = () => import("./sidebar-reads");
const RecentSessions = lazyPart(loadReads, "RecentSessions");
const PlaceWatch = lazyHelper(loadReads, "PlaceWatch");
const MoreLinks = lazyPart(() => import("@/components/more-links"), "MoreLinks");

/**
 * The links to all pages: with labels on a wide screen, as icons on a narrow screen, hidden on a phone. Pages of features not
 * used yet are under More.
 */
export function Sidebar() {
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 hidden h-dvh w-13 shrink-0 flex-col gap-0.5 overflow-y-auto border-r bg-surface p-2 md:flex xl:w-60 print:hidden"
    >
      <PageLink
        prefetchOn="settled"
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
      <PlacesOfFeatures />
      {/* The broker serves the docs from the same origin. */}
      <a href="/docs/" title="Docs" className={cn(navRow, "mt-auto")}>
        <BookOpen aria-hidden className="size-4 shrink-0" />
        <span className="sr-only xl:not-sr-only xl:flex-1">Docs</span>
      </a>
    </nav>
  );
}

/** The pages in use, the current page and the settings, and a button with the number of other pages. */
function PlacesOfFeatures() {
  const pathname = usePathname();
  const navItems = useFeatureNavItems().filter(({ visibility: shown }) => shown !== "phone");
  const [usedHrefs, addUsedHref] = useUsedPlaces();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const hasSettled = useHasSettled();
  const isShown = ({ href, visibility: shown }: NavItem) =>
    shown === "always" || usedHrefs.includes(href) || href === pathname;
  const hidden = navItems.filter((place) => !isShown(place));
  return (
    <>
      {[...navItems.filter(isShown), settingsItem].map((place) => (
        <NavLink key={place.href} {...place} />
      ))}
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
        <MoreLinks label="More pages" links={hidden} anchor={anchor} onClose={() => setAnchor(null)} />
      )}
      {hasSettled && hidden.length > 0 && (
        <PlaceWatch places={navItems.filter(({ href }) => !usedHrefs.includes(href))} onUsed={addUsedHref} />
      )}
    </>
  );
}

/** Opens the command palette. */
function SearchButton() {
  const { openPalette } = useShellActions();
  const isMac = useIsMac();
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
        <Kbd>{isMac ? "⌘K" : "Ctrl K"}</Kbd>
      </span>
    </button>
  );
}

/** The pages that were used, by mesh. A used page stays in the sidebar. */
type UsedPlaces = Readonly<Record<string, readonly string[]>>;

const stored = createStoredValue("merkle.places", parseUsedPlaces);
const noHrefs: readonly string[] = [];

/** Returns the pages that this browser has used in this mesh, and a function that adds a page. */
function useUsedPlaces(): [places: readonly string[], add: (href: string) => void] {
  const mesh = useOfConnection(({ admitted }) => admitted?.mesh, undefined) ?? chosenMesh ?? "main";
  const places = useSyncExternalStore(
    stored.onChange,
    () => stored.get()[mesh] ?? noHrefs,
    () => noHrefs,
  );
  const add = useCallback(
    (href: string) => {
      const all = stored.get();
      const hrefs = all[mesh] ?? noHrefs;
      if (!hrefs.includes(href)) stored.set(JSON.stringify({ ...all, [mesh]: [...hrefs, href] }));
    },
    [mesh],
  );
  return [places, add];
}

function parseUsedPlaces(text: string | null): UsedPlaces {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    if (typeof value !== "object" || value === null) return {};
    const entries = Object.entries(value).filter(([, places]) => Array.isArray(places));
    return Object.fromEntries(entries);
  } catch {
    return {};
  }
}
