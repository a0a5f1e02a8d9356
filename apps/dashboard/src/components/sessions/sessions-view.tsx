"use client";

import { useAppInfo } from "@/components/connection/use-app-info";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { PageHeader } from "@/components/shell/page-header";
import { useRead } from "@/lib/broker/use-read";
import { SessionTable } from "./session-table";
import { SessionsEmpty } from "./sessions-empty";
import { SessionsSkeleton } from "./sessions-skeleton";

/** The sessions of this broker, the one where something happened last on top. */
export function SessionsView() {
  const { status, data, problem, refresh } = useRead("list_sessions", {}, { on: ["sessions", "person"] });
  const { data: info } = useAppInfo();
  return (
    <>
      <PageHeader crumbs={[{ label: "Sessions" }]} />
      <div className="p-4 lg:p-6">
        <Panel level={1} title="Sessions">
          {problem && <ProblemAlert problem={problem} onRetry={refresh} className="m-3" />}
          {status === "loading" && <SessionsSkeleton />}
          {data?.sessions.length === 0 && <SessionsEmpty baseUrl={info?.base_url ?? null} />}
          {data && data.sessions.length > 0 && <SessionTable sessions={data.sessions} />}
        </Panel>
      </div>
    </>
  );
}
