"use client";

import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useMemo } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { lazyPart } from "@/core/lazy-part";
import { usePreference } from "@/core/preferences/use-preference";
import { useSession } from "@/sessions/session-context";
import { parseUnifiedDiff } from "@/text/diff/unified-diff";
import { Button } from "@/ui/button";
import { DiffView } from "./diff-view";
import { DocumentSkeleton } from "./document-skeleton";
import { LayoutSwitch } from "./layout-switch";
import { RemovedVersion } from "./removed-version";
import { useVersion } from "./use-document";
import { toCompareParam, type VersionPair } from "./use-version-param";
import { DiffCounts } from "./version-changes";

const RestoreVersion = lazyPart(() => import("./restore-version"), "RestoreVersion");

/** The differences between two versions, unified or side by side. */
export function CompareView({ comparison }: { comparison: VersionPair }) {
  const { session, isObserver } = useSession();
  const { from, to } = comparison;
  const { data, problem, refresh } = useRead(
    "read_session_doc",
    { session_id: session.session_id, since_version: from, version: to },
    // A difference between two versions never changes, except when the text of a version is removed.
    { on: ["document"] },
  );
  const [layout] = usePreference("diff");
  const diff = useMemo(() => (data?.diff === undefined ? null : parseUnifiedDiff(data.diff)), [data]);
  const newest = session.document_version;

  return (
    <section aria-label={`Changes from version ${from} to ${to}`} className="flex min-h-full flex-col">
      <div className="sticky top-0 z-10 grid gap-1 border-b bg-background px-3 py-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-0 flex-1 text-sm">
            <span className="font-medium tabular-nums">
              v{from} → v{to}
            </span>{" "}
            {diff && <DiffCounts added={diff.added} removed={diff.removed} />}
          </p>
          <div className="flex items-center gap-0.5">
            <StepButton
              label="Previous change"
              icon={<ChevronLeft aria-hidden />}
              to={from > 0 ? { from: from - 1, to: from } : null}
            />
            <StepButton
              label="Next change"
              icon={<ChevronRight aria-hidden />}
              to={to < newest ? { from: to, to: to + 1 } : null}
            />
          </div>
          <LayoutSwitch />
          <Button variant="ghost" size="icon" onClick={() => setQuery({ compare: null })}>
            <X aria-hidden />
            <span className="sr-only">Close comparison</span>
          </Button>
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted-foreground">
          <Writer version={from} />
          <Writer version={to} />
          {from > 0 && from < newest && session.status === "active" && !isObserver && (
            // Hidden on a phone, which shows too little of the document for the user to restore a version safely.
            <span className="contents max-md:hidden">
              <Restore version={from} newest={newest} />
            </span>
          )}
        </div>
      </div>
      {problem && (
        <ProblemAlert
          className="m-3"
          title="Couldn't compare these versions."
          problem={problem}
          onRetry={refresh}
        />
      )}
      {data?.redacted_version !== undefined && <RemovedVersion doc={data} />}
      {!data && !problem && <DocumentSkeleton />}
      {diff?.hunks.length === 0 && (
        <p className="p-4 text-sm text-muted-foreground">These versions are identical.</p>
      )}
      {/* The key restores the initial state of all parts when another comparison is shown. */}
      {diff && diff.hunks.length > 0 && <DiffView key={`${from}..${to}`} diff={diff} layout={layout} />}
    </section>
  );
}

function StepButton({ label, icon, to }: { label: string; icon: React.ReactNode; to: VersionPair | null }) {
  return (
    <Button
      variant="ghost"
      size="icon"
      title={label}
      disabled={to === null}
      onClick={() => to && setQuery({ compare: toCompareParam(to) })}
    >
      {icon}
      <span className="sr-only">{label}</span>
    </Button>
  );
}

function Writer({ version }: { version: number }) {
  const details = useVersion(version);
  if (version === 0) return <span>v0: empty</span>;
  if (!details) return <span>v{version}</span>;
  return (
    <span>
      v{version}: <bdi>{details.written_by}</bdi>{" "}
      <TimeText at={details.written_at} as="clock" className="tabular-nums" />
    </span>
  );
}

function Restore({ version, newest }: { version: number; newest: number }) {
  const { session } = useSession();
  const { data } = useRead("read_session_doc", { session_id: session.session_id, version });
  if (data?.content === undefined) return null;
  return <RestoreVersion version={version} content={data.content} newest={newest} />;
}
