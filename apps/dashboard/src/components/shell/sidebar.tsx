"use client";

import { Bell, Brain, LayoutList, Search, Settings } from "lucide-react";
import Link from "next/link";
import { Logo } from "./logo";
import { NavLink } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { RecentSessions } from "./recent-sessions";

/** The way to every page: with words where there is room, as icons on narrower screens, and not at all on a phone. */
export function Sidebar() {
  return (
    <nav
      aria-label="Main"
      className="sticky top-0 hidden h-dvh w-13 shrink-0 flex-col gap-0.5 overflow-y-auto border-r bg-surface p-2 md:flex xl:w-60"
    >
      <Link
        href="/"
        aria-label="merkle, to the sessions"
        className="mb-2 flex h-8 items-center gap-2 rounded-md px-2 text-lg font-semibold"
      >
        <Logo />
        <span className="hidden xl:inline">merkle</span>
      </Link>
      <NavLink href="/search" label="Search" Icon={Search} />
      <NavLink href="/?needs=1" label="Needs you" Icon={Bell} note={<NeedsYouCount />} />
      <NavLink href="/" label="Sessions" Icon={LayoutList} />
      <RecentSessions />
      <NavLink href="/memory" label="Memory" Icon={Brain} />
      <NavLink href="/settings" label="Settings" Icon={Settings} />
    </nav>
  );
}
