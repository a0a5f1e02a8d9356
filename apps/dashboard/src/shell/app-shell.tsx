"use client";

import { Bell, LayoutList, Menu } from "lucide-react";
import { usePathname } from "next/navigation";
import { type ReactNode, useState } from "react";
import { isUnauthenticated } from "@/broker/broker";
import { useIsObserver } from "@/broker/use-admitted";
import { useConnectionState } from "@/broker/use-connection-state";
import { PageLink } from "@/components/page-link";
import { useHydrated } from "@/core/address/use-hydrated";
import { lazyHelper, lazyPart } from "@/core/lazy-part";
import { cn } from "@/core/utils";
import { isInDemo } from "@/identity/chosen-mesh";
import { isPublicPage, isSignInPage } from "@/identity/sign-in-pages";
import { Parts } from "@/parts/features-context";
import { Notifier } from "@/views/attention/notifier";
import { useFeatureNavItems } from "./nav-items";
import type { NavLinkProps } from "./nav-link";
import { NeedsYouCount } from "./needs-you-count";
import { ShellKeys } from "./shell-keys";
import { Sidebar } from "./sidebar";

const MoreSheet = lazyPart(() => import("./more-sheet"), "MoreSheet");
const AppearanceKeeper = lazyHelper(() => import("./appearance-keeper"), "AppearanceKeeper");
const Announcers = lazyHelper(() => import("./announcers"), "Announcers");
const FocusKeeper = lazyHelper(() => import("./focus-keeper"), "FocusKeeper");
const GuestShell = lazyPart(() => import("./guest-shell"), "GuestShell");

/** The frame of every page: the navigation for members, the sign-in for everyone else. */
export function AppShell({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  return (
    <>
      <AppearanceKeeper />
      {isSignInPage(pathname) ? (
        <main id="content">{children}</main>
      ) : (
        <MemberOrGuest>{children}</MemberOrGuest>
      )}
    </>
  );
}

function MemberOrGuest({ children }: { children: ReactNode }) {
  const pathname = usePathname();
  const state = useConnectionState();
  const isObserver = useIsObserver();
  return (
    <>
      {isObserver ? <GuestShell>{children}</GuestShell> : <MemberShell>{children}</MemberShell>}
      {isUnauthenticated(state) && !isPublicPage(pathname) && <GuestShell />}
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
        {isDemo && <Parts select={(feature) => feature.DemoBar} />}
      </div>
      <Notifier />
      <FocusKeeper />
      <Announcers />
    </ShellKeys>
  );
}

/** The navigation on a phone: the most used pages, and a button for all other pages. */
function BottomBar() {
  const [isOpen, setOpen] = useState(false);
  const navItems = useFeatureNavItems().filter(({ visibility: shown }) => shown !== "used");
  return (
    <nav
      aria-label="Main"
      className="@container fixed inset-x-0 bottom-0 z-30 flex h-[calc(3.5rem+env(safe-area-inset-bottom))] items-stretch border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      <BottomBarLink href="/needs-you" label="Needs you" Icon={Bell} note={<NeedsYouCount />} />
      <BottomBarLink href="/" label="Sessions" Icon={LayoutList} />
      {/* In large text these have no room, and are in the sheet. */}
      <div className="contents @max-xs:hidden">
        {navItems.map((place) => (
          <BottomBarLink key={place.href} {...place} />
        ))}
      </div>
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
      {isOpen && <MoreSheet onClose={() => setOpen(false)} />}
    </nav>
  );
}

const bottomBarItem =
  "flex min-w-11 flex-1 flex-col items-center justify-center gap-0.5 text-xs text-muted-foreground aria-[current=page]:font-medium aria-[current=page]:text-foreground";

function BottomBarLink({ href, label, Icon, note }: NavLinkProps) {
  const pathname = usePathname();
  return (
    <PageLink
      prefetchOn="settled"
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
