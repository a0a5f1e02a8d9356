"use client";

import type { ReactNode } from "react";
import { Notifier } from "@/components/notifications/notifier";
import { BottomBar } from "./bottom-bar";
import { FeedAnnouncer } from "./feed-announcer";
import { FocusKeeper } from "./focus-keeper";
import { ShellKeys } from "./shell-keys";
import { Sidebar } from "./sidebar";

/** What stands around every page: the way to the others. */
export function AppShell({ children }: { children: ReactNode }) {
  return (
    <ShellKeys>
      <div className="flex min-h-dvh">
        <a
          href="#content"
          className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md border bg-background px-3 py-3 focus:translate-y-0"
        >
          Skip to content
        </a>
        <Sidebar />
        <main
          id="content"
          tabIndex={-1}
          className="flex min-w-0 flex-1 flex-col pb-(--bottom-bar) outline-none"
        >
          {children}
        </main>
        <BottomBar />
      </div>
      <FocusKeeper />
      <Notifier />
      <FeedAnnouncer />
    </ShellKeys>
  );
}
