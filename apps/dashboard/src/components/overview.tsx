"use client";

import { ConnectionPanel } from "@/components/connection/connection-panel";
import { useAppInfo } from "@/components/connection/use-app-info";
import { SessionsPanel } from "@/components/sessions/sessions-panel";
import { useSessions } from "@/components/sessions/use-sessions";
import { PageHeader } from "@/components/shell/page-header";

/** The sessions of this broker, and how agents reach it. */
export function Overview() {
  const sessions = useSessions();
  const appInfo = useAppInfo();
  const info = appInfo.status === "loading" ? null : appInfo.data;
  return (
    <>
      <PageHeader state={sessions.state} version={info?.version ?? null} />
      <main className="mx-auto grid max-w-7xl gap-8 px-4 py-6 lg:grid-cols-[minmax(0,1fr)_22rem] lg:gap-6">
        <SessionsPanel
          state={sessions.state}
          baseUrl={info?.base_url ?? null}
          onRetry={sessions.refresh}
          onShowMore={sessions.showMore}
        />
        <ConnectionPanel state={appInfo} />
      </main>
    </>
  );
}
