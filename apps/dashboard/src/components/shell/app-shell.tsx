"use client";

import { usePathname } from "next/navigation";
import { lazy, type ReactNode, Suspense } from "react";
import { Notifier } from "@/components/notifications/notifier";
import { isStranger } from "@/lib/broker/broker";
import { useLooksOn } from "@/lib/broker/use-admitted";
import { useConnectionState } from "@/lib/broker/use-connection-state";
import { isDoorPage, isForAnybody } from "@/lib/sign-in/door-pages";
import { BottomBar } from "./bottom-bar";
import { FeedAnnouncer } from "./feed-announcer";
import { FocusKeeper } from "./focus-keeper";
import { ShellKeys } from "./shell-keys";
import { Sidebar } from "./sidebar";

const GuestShell = lazy(() => import("./guest-shell").then((part) => ({ default: part.GuestShell })));

/** What stands around every page: the way to the others, for whoever may go there, and the door for whoever may not. */
export function AppShell({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const state = useConnectionState();
  const looksOn = useLooksOn();
  if (isDoorPage(pathname)) return <main id="content">{children}</main>;
  return (
    <>
      {looksOn ? (
        <Suspense>
          <GuestShell>{children}</GuestShell>
        </Suspense>
      ) : (
        <MemberShell>{children}</MemberShell>
      )}
      {isStranger(state) && !isForAnybody(pathname) && (
        <Suspense>
          <GuestShell />
        </Suspense>
      )}
    </>
  );
}

function MemberShell({ children }: { children: ReactNode }) {
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
