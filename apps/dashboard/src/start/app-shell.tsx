"use client";

import { Bell, BookMarked, LayoutList, ListChecks, Search, Settings2 } from "lucide-react";
import { usePathname } from "next/navigation";
import { lazy, type ReactNode, Suspense, useEffect } from "react";
import { isStranger } from "@/broker/broker";
import { useLooksOn } from "@/broker/use-admitted";
import { useConnectionState } from "@/broker/use-connection-state";
import { PageLink } from "@/components/page-link";
import { isForAnybody, isSignInPage } from "@/identity/sign-in-pages";
import { Notifier } from "@/views/attention/notifier";
import { FeedAnnouncer } from "./feed-announcer";
import type { NavLinkProps } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { ShellKeys } from "./shell-keys";
import { Sidebar } from "./sidebar";

const GuestShell = lazy(() => import("./guest-shell").then((part) => ({ default: part.GuestShell })));

/** The frame of every page: the way to the others, for whoever may go there, and the way in for whoever may not. */
export function AppShell({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const state = useConnectionState();
  const looksOn = useLooksOn();
  if (isSignInPage(pathname)) return <main id="content">{children}</main>;
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
          className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md border bg-background px-3 py-3 focus:translate-y-0 print:hidden"
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
      <FocusController />
      <Notifier />
      <FeedAnnouncer />
    </ShellKeys>
  );
}

/** Sees to it that the focus is never lost, on whatever page; loaded after the page, which can do without it for so long. */
function FocusController() {
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isGone = false;
    import("@/core/keyboard/keep-focus").then(
      ({ keepFocus }) => {
        if (!isGone) stop = keepFocus(document);
      },
      // Without it the browser does what it always does.
      () => undefined,
    );
    return () => {
      isGone = true;
      stop?.();
    };
  }, []);
  return null;
}

/** The way to every page on a phone, within reach of a thumb. */
function BottomBar() {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex h-(--bottom-bar) items-stretch border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
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

function BottomBarLink({ href, label, Icon, note }: NavLinkProps) {
  const pathname = usePathname();
  return (
    <PageLink
      ahead="settled"
      href={href}
      aria-current={pathname === href ? "page" : undefined}
      className="flex min-w-11 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground"
    >
      <span className="relative">
        <Icon aria-hidden className="size-5" />
        <span className="absolute -top-1 left-3">{note}</span>
      </span>
      {label}
    </PageLink>
  );
}
