"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, Suspense, useCallback, useEffect } from "react";
import { ComposeProvider } from "@/components/compose/compose-context";
import { EarlyPageContext, useFeedAhead } from "@/components/feed/early-page-context";
import { announceFront } from "@/components/notifications/front-session";
import { PanelBoundary } from "@/components/panel-boundary";
import { SessionRecord } from "@/components/record/session-record";
import { RosterBar } from "@/components/roster/roster-bar";
import { useSessionRef } from "@/lib/query/use-session-ref";
import { SessionActionsProvider } from "./session-actions";
import { SessionBanner } from "./session-banner";
import { type SessionFacts, SessionProvider } from "./session-context";
import { SessionHeader } from "./session-header";
import { SessionProblem } from "./session-problem";
import { SessionSkeleton } from "./session-skeleton";
import { SessionTabs } from "./session-tabs";
import { ShortHeader } from "./short-header";
import { StaleNote } from "./stale-note";
import { useSessionFacts } from "./use-session-facts";
import { useShowLive } from "./use-show-live";

/** The page of one session. Header and roster stay while the tabs below them change. */
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
  const early = useFeedAhead(ref, facts === null);
  if (facts === null) {
    return problem === null ? <SessionSkeleton /> : <SessionProblem problem={problem} onRetry={refresh} />;
  }
  return (
    // What is written and what is open belongs to one session, so another one begins anew.
    <SessionFrame key={facts.session.session_id} facts={facts}>
      {problem !== null && <StaleNote problem={problem} onRetry={refresh} />}
      <EarlyPageContext value={early}>{children}</EarlyPageContext>
    </SessionFrame>
  );
}

function SessionFrame({ facts, children }: { facts: SessionFacts; children: ReactNode }) {
  const showLive = useShowLive(facts.session.slug);
  const onComposerWanted = useCallback(() => showLive({ pane: null }), [showLive]);
  useEffect(() => announceFront(facts.session.session_id), [facts.session.session_id]);
  const alone = usePathname().endsWith("/doc");
  return (
    <SessionProvider facts={facts}>
      <ComposeProvider session={facts.session} onWanted={onComposerWanted}>
        <SessionActionsProvider>
          <div className="flex h-[calc(100dvh-var(--bottom-bar))] min-h-0 min-w-0 flex-col short:h-auto">
            <SessionRecord />
            {alone ? (
              <ShortHeader label="Document" />
            ) : (
              <>
                <PanelBoundary title="The header of the session">
                  <SessionHeader />
                </PanelBoundary>
                <PanelBoundary title="The roster">
                  <RosterBar />
                </PanelBoundary>
                <SessionBanner />
                <SessionTabs />
              </>
            )}
            {/* Where the screen is low, what stands above scrolls away, and this has the screen to itself. */}
            <div className="flex min-h-0 min-w-0 flex-1 flex-col short:h-[calc(100dvh-var(--bottom-bar))] short:min-h-96 short:flex-none">
              {children}
            </div>
          </div>
        </SessionActionsProvider>
      </ComposeProvider>
    </SessionProvider>
  );
}
