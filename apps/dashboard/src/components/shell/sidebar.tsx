"use client";

import { Bell, BookMarked, LayoutList, ListChecks, Search, Settings2, ShieldCheck } from "lucide-react";
import { lazy, Suspense } from "react";
import { PageLink } from "@/components/page-link";
import { Keys } from "./keys";
import { Logo } from "./logo";
import { NavLink, navRow } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { RecentSessions } from "./recent-sessions";
import { useShellActions } from "./shell-keys";

const FilesLink = lazy(() => import("./files-link").then((part) => ({ default: part.FilesLink })));

/** The way to every page: with words where there is room, as icons on narrower screens, and not at all on a phone. */
export function Sidebar() {
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 hidden h-dvh w-13 shrink-0 flex-col gap-0.5 overflow-y-auto border-r bg-surface p-2 md:flex xl:w-60"
    >
      <PageLink
        ahead="settled"
        href="/"
        aria-label="merkle, to the sessions"
        className="mb-2 flex h-8 items-center gap-2 rounded-md px-2 text-lg font-semibold"
      >
        <Logo />
        <span className="hidden xl:inline">merkle</span>
      </PageLink>
      <SearchButton />
      <NavLink href="/?needs=1" label="Needs you" Icon={Bell} note={<NeedsYouCount />} />
      <NavLink href="/" label="Sessions" Icon={LayoutList} />
      <RecentSessions />
      <NavLink href="/memory" label="Memory" Icon={BookMarked} />
      <NavLink href="/progress" label="Progress" Icon={ListChecks} />
      <Suspense>
        <FilesLink />
      </Suspense>
      <NavLink href="/verify" label="Verify" Icon={ShieldCheck} />
      <NavLink href="/settings" label="Settings" Icon={Settings2} />
    </nav>
  );
}

/** Opens the palette, which searches and more; the page of its own is one of the things that it leads to. */
function SearchButton() {
  const { openPalette } = useShellActions();
  return (
    <button
      type="button"
      title="Search, or do anything"
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
