"use client";

import { Bell, BookMarked, LayoutList, ListChecks, Search, Settings2 } from "lucide-react";
import { BottomBarLink } from "./bottom-bar-link";
import { NeedsYouCount } from "./needs-you-count";

/** The way to every page on a phone, within reach of a thumb. */
export function BottomBar() {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex h-(--bottom-bar) items-stretch border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      <BottomBarLink href="/?needs=1" label="Needs you" Icon={Bell} note={<NeedsYouCount />} />
      <BottomBarLink href="/" label="Sessions" Icon={LayoutList} />
      <BottomBarLink href="/search" label="Search" Icon={Search} />
      <BottomBarLink href="/memory" label="Memory" Icon={BookMarked} />
      <BottomBarLink href="/progress" label="Progress" Icon={ListChecks} />
      <BottomBarLink href="/settings" label="Settings" Icon={Settings2} />
    </nav>
  );
}
