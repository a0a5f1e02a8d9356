"use client";

import { Eye } from "lucide-react";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { useAdmitted } from "@/broker/use-admitted";
import { PageLink } from "@/components/page-link";
import { isPublicPage } from "@/identity/sign-in-pages";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { SignOutButton } from "@/views/sign-in/sign-out-button";
import { FeedAnnouncer } from "./announcers";

/** The frame for an observer of one session. Shows that the page is read-only, with a button to leave. */
export function ObserverShell({ children }: { readonly children: ReactNode }) {
  const pathname = usePathname();
  return (
    <>
      <div className="flex min-h-dvh flex-col [--bottom-bar:calc(2.75rem+env(safe-area-inset-bottom))] pointer-coarse:[--bottom-bar:calc(3.5rem+env(safe-area-inset-bottom))]">
        <main
          id="content"
          tabIndex={-1}
          className="flex min-w-0 flex-1 flex-col pb-(--bottom-bar) outline-none"
        >
          {pathname.startsWith("/sessions/") || isPublicPage(pathname) ? children : <OneSession />}
        </main>
        <aside
          aria-label="View-only access"
          className="fixed inset-x-0 bottom-0 z-30 flex h-(--bottom-bar) items-center gap-2 border-t bg-surface px-4 pb-[env(safe-area-inset-bottom)]"
        >
          <Eye aria-hidden className="size-4 shrink-0 text-muted-foreground" />
          <p className="min-w-0 flex-1 truncate">
            View only.{" "}
            <span className="text-muted-foreground max-sm:hidden">
              This link shows one session, read-only.
            </span>
          </p>
          <SignOutButton size="sm" variant="outline">
            Leave
          </SignOutButton>
        </aside>
      </div>
      <FeedAnnouncer />
    </>
  );
}

function OneSession() {
  const as = useAdmitted()?.as;
  if (as?.kind !== "observer") return null;
  return (
    <div className="grid flex-1 place-items-center p-4">
      <Empty>
        <EmptyTitle asChild>
          <h1>View-only link</h1>
        </EmptyTitle>
        <EmptyDescription>Your link opens only one session.</EmptyDescription>
        <Button asChild>
          <PageLink href={`/sessions/${as.session_id}`}>Open session</PageLink>
        </Button>
      </Empty>
    </div>
  );
}
