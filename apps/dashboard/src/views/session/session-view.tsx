"use client";

import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import type { Problem } from "@/broker/problem";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { setQuery } from "@/core/address/address";
import { useSessionRef } from "@/core/address/use-session-ref";
import { lazyPart } from "@/core/lazy-part";
import { ComposeProvider } from "@/feed/compose/compose-context";
import { EarlyPageContext, useFeedPrefetch } from "@/feed/pane/early-page-context";
import { ReplayContext } from "@/feed/pane/replay-context";
import { Replay } from "@/feed/store/replay";
import { Parts } from "@/parts/features-context";
import { announceFront } from "@/sessions/front-session";
import { useKnownTitle } from "@/sessions/known-title";
import { type SessionFacts, SessionProvider, useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { loadDocumentPane } from "./document-part";
import { SessionActionsProvider } from "./session-actions";
import { SessionHeader } from "./session-header";
import { SessionProblem } from "./session-problem";
import { SessionTabs } from "./session-tabs";
import { useSessionFacts } from "./use-session-facts";

const SessionBanner = lazyPart(() => import("./session-banner"), "SessionBanner");

/** The page of one session. Header and roster stay mounted while the tabs below change. */
export function SessionView({ children }: { children: ReactNode }) {
  return (
    <Suspense fallback={<SessionSkeleton />}>
      <SessionOfAddress>{children}</SessionOfAddress>
    </Suspense>
  );
}

function SessionOfAddress({ children }: { children: ReactNode }) {
  const ref = useSessionRef();
  const { facts, problem, refresh } = useSessionFacts(ref);
  const early = useFeedPrefetch(ref, facts === null);
  const title = useKnownTitle(ref);
  useEffect(() => void loadDocumentPane().catch(() => undefined), []);
  if (facts === null) {
    return problem === null ? (
      <SessionSkeleton title={title} />
    ) : (
      <SessionProblem problem={problem} onRetry={refresh} />
    );
  }
  return (
    // Drafts and open panels belong to one session, so another session gets a new frame.
    <SessionFrame key={facts.session.session_id} facts={facts}>
      {problem !== null && <StaleNote problem={problem} onRetry={refresh} />}
      <EarlyPageContext value={early}>{children}</EarlyPageContext>
    </SessionFrame>
  );
}

function SessionFrame({ facts, children }: { facts: SessionFacts; children: ReactNode }) {
  const showLive = useShowLive(facts.session.slug);
  const pathname = usePathname();
  const onComposerWanted = useCallback(() => showLive({ pane: null }), [showLive]);
  useEffect(() => announceFront(facts.session.session_id), [facts.session.session_id]);
  const standalonePage = standalonePages.find(({ place }) => pathname.endsWith(place));
  const [replay] = useState(() => new Replay());
  return (
    <SessionProvider facts={facts}>
      <ComposeProvider session={facts.session} onFocusRequest={onComposerWanted}>
        <SessionActionsProvider>
          <ReplayContext value={replay}>
            <div className="flex h-[calc(100dvh-var(--bottom-bar))] min-h-0 min-w-0 flex-col short:h-auto print:block print:h-auto">
              <Parts select={({ session: parts }) => parts?.Always} />
              {standalonePage ? (
                <>
                  <ShortHeader {...standalonePage} />
                  {standalonePage.place === "/doc" && <SessionTabs />}
                </>
              ) : (
                <>
                  <PanelBoundary title="Session header">
                    <SessionHeader />
                  </PanelBoundary>
                  <SessionBanner />
                  <SessionTabs />
                </>
              )}
              {/* On a short screen, everything above this element scrolls out of view, and the element fills the screen. */}
              <div className="flex min-h-0 min-w-0 flex-1 flex-col short:h-[calc(100dvh-var(--bottom-bar))] short:min-h-96 short:flex-none">
                {children}
              </div>
            </div>
          </ReplayContext>
        </SessionActionsProvider>
      </ComposeProvider>
    </SessionProvider>
  );
}

/** The views of a session that fill the page, without roster and banner. */
const standalonePages = [
  { place: "/doc", label: "Document", hasHeading: false },
  { place: "/conclusion", label: "Conclusion", hasHeading: true },
] as const;

/** The header of a view that fills the page. */
function ShortHeader({ label, hasHeading }: { label: string; hasHeading: boolean }) {
  const { session } = useSession();
  return (
    <>
      {!hasHeading && (
        <h1 dir="auto" className="sr-only">
          {label} of {session.title}
        </h1>
      )}
      <PageHeader
        crumbs={[
          { label: "Sessions", href: "/" },
          { label: session.title, href: `/sessions/${session.slug}` },
          { label },
        ]}
      />
    </>
  );
}

/** A note that the page shows old data, and why it could not be refreshed. */
function StaleNote({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  return (
    <div
      role="status"
      title={problem.code}
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b bg-danger-surface px-4 py-1.5 text-sm"
    >
      <p className="min-w-0 flex-1 break-words">
        <span className="font-medium text-danger">{problem.title}</span> Showing the last loaded header and
        roster.
      </p>
      <Button variant="outline" size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** Returns a function that opens feed and document from any tab and sets URL parameters. */
function useShowLive(slug: string): (values: Readonly<Record<string, string | null>>) => void {
  const pathname = usePathname();
  const router = useRouter();
  const isLive = pathname.split("/").length === 3;
  return useCallback(
    (values) => {
      if (isLive) return setQuery(values);
      const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== null);
      const query = new URLSearchParams(entries).toString();
      router.push(`/sessions/${slug}${query === "" ? "" : `?${query}`}`);
    },
    [isLive, router, slug],
  );
}

/** Placeholder for a session's page while it loads. Everything has its final height. */
function SessionSkeleton({ title }: { readonly title?: string | undefined }) {
  return (
    <div
      role="status"
      className="flex h-[calc(100dvh-var(--bottom-bar))] min-h-0 flex-col"
      aria-label="Loading session"
    >
      {title === undefined ? (
        <div className="flex h-12 shrink-0 items-center border-b px-4 lg:px-6">
          <Skeleton className="h-6 w-64 max-w-full" />
        </div>
      ) : (
        <PageHeader
          crumbs={[
            { label: "Sessions", href: "/" },
            {
              label: title,
              heading: (
                <h1 dir="auto" className="min-w-0 truncate text-lg font-semibold text-foreground">
                  {title}
                </h1>
              ),
            },
          ]}
        />
      )}
      <div className="flex h-10 shrink-0 items-center px-4 lg:px-6 pointer-coarse:h-12">
        <Skeleton className="h-5 w-96 max-w-full" />
      </div>
      <div className="flex h-9 shrink-0 items-center gap-2 border-b px-4 lg:px-6 pointer-coarse:h-11">
        <Skeleton className="h-5 w-16" />
        <Skeleton className="h-5 w-24" />
      </div>
      <div className="grid flex-1 content-end gap-4 p-4">
        <Skeleton className="h-12 w-3/4" />
        <Skeleton className="h-12 w-2/3" />
        <Skeleton className="h-12 w-3/4" />
      </div>
    </div>
  );
}
