"use client";

import { ProblemAlert } from "@/components/problem-alert";
import { PageHeader } from "@/components/shell/page-header";
import { useRead } from "@/lib/broker/use-read";
import { useSessionRef } from "@/lib/query/use-session-ref";

/** One session. */
export function SessionView() {
  const ref = useSessionRef();
  const { data, problem, refresh } = useRead("get_session", ref === undefined ? null : { session_id: ref }, {
    on: ["session", "document", "roster"],
  });
  return (
    <>
      <PageHeader crumbs={[{ label: "Sessions", href: "/" }, { label: data?.title ?? "…" }]} />
      <div className="p-4 lg:p-6">
        {problem && <ProblemAlert problem={problem} onRetry={refresh} />}
        {data && (
          <>
            <h1 dir="auto" className="text-title font-semibold break-words">
              {data.title}
            </h1>
            <p dir="auto">{data.description}</p>
          </>
        )}
      </div>
    </>
  );
}
