"use client";

import { Bell, Bot, LayoutList, Menu, Search } from "lucide-react";
import { usePathname } from "next/navigation";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { isStranger } from "@/broker/broker";
import { useLooksOn } from "@/broker/use-admitted";
import { useConnectionState } from "@/broker/use-connection-state";
import { PageLink } from "@/components/page-link";
import { useHydrated } from "@/core/address/use-hydrated";
import { cn } from "@/core/utils";
import { isInDemo } from "@/identity/chosen-mesh";
import { isForAnybody, isSignInPage } from "@/identity/sign-in-pages";
import { Notifier } from "@/views/attention/notifier";
import { FeedAnnouncer } from "./feed-announcer";
import type { NavLinkProps } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { ShellKeys } from "./shell-keys";
import { Sidebar } from "./sidebar";

const DemoBar = lazy(() => import("./demo-bar").then((part) => ({ default: part.DemoBar })));
const MoreSheet = lazy(() => import("./more-sheet").then((part) => ({ default: part.MoreSheet })));
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
  const isDemo = useHydrated() && isInDemo;
  return (
    <ShellKeys>
      <div
        className={cn(
          "flex min-h-dvh",
          isDemo && "[--bottom-bar:2.75rem] max-md:[--bottom-bar:calc(6.25rem+env(safe-area-inset-bottom))]",
        )}
      >
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
        {isDemo && (
          <Suspense>
            <DemoBar />
          </Suspense>
        )}
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

/** The way to every page on a phone, within reach of a thumb: to those that are wanted most, and to the others by one more press. */
function BottomBar() {
  const [isOpen, setOpen] = useState(false);
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] items-stretch border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      <BottomBarLink href="/needs-you" label="Needs you" Icon={Bell} note={<NeedsYouCount />} />
      <BottomBarLink href="/" label="Sessions" Icon={LayoutList} />
      <BottomBarLink href="/agents" label="Agents" Icon={Bot} />
      <BottomBarLink href="/search" label="Search" Icon={Search} />
      <button
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        className={bottomBarItem}
        onClick={() => setOpen(true)}
      >
        <Menu aria-hidden className="size-5" />
        More
      </button>
      <Suspense>{isOpen && <MoreSheet onClose={() => setOpen(false)} />}</Suspense>
    </nav>
  );
}

const bottomBarItem =
  "flex min-w-11 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground";

function BottomBarLink({ href, label, Icon, note }: NavLinkProps) {
  const pathname = usePathname();
  return (
    <PageLink
      ahead="settled"
      href={href}
      aria-current={pathname === href ? "page" : undefined}
      className={bottomBarItem}
    >
      <span className="relative">
        <Icon aria-hidden className="size-5" />
        <span className="absolute -top-1 left-3 flex">{note}</span>
      </span>
      {label}
    </PageLink>
  );
}
