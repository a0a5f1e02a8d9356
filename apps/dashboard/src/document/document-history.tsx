"use client";

import { useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { HistoryRow } from "./history-row";
import { toCompareParam } from "./use-version-param";
import { useVersions } from "./use-versions";

/** All versions with author, time and changes, newest first. Any two can be compared. */
export function DocumentHistory() {
  const { session, getColour } = useSession();
  const { versions, hasMore, isLoading, problem, showMore, refresh, readAgain } = useVersions();
  const [pickedVersions, setPickedVersions] = useState<readonly number[]>([]);
  const [older, newer] = [...pickedVersions].sort((a, b) => a - b);

  function pick(version: number): void {
    // Selecting a third version replaces the one that was selected first.
    setPickedVersions(
      pickedVersions.includes(version)
        ? pickedVersions.filter((v) => v !== version)
        : [...pickedVersions, version].slice(-2),
    );
  }

  return (
    <section aria-label="History" className="flex min-h-full flex-col">
      <div className="sticky top-0 z-10 flex min-h-11 flex-wrap items-center gap-2 border-b bg-background px-4 py-1 text-sm">
        <p className="flex-1 text-muted-foreground">
          {session.document_version === 0
            ? "No versions yet."
            : older !== undefined && newer === undefined
              ? `v${older} selected. Select another one to compare.`
              : "Select two versions to compare."}
        </p>
        <Button
          size="sm"
          disabled={older === undefined || newer === undefined}
          onClick={() =>
            older !== undefined &&
            newer !== undefined &&
            setQuery({ compare: toCompareParam({ from: older, to: newer }) })
          }
        >
          {older !== undefined && newer !== undefined ? `Compare v${older} and v${newer}` : "Compare"}
        </Button>
      </div>
      {problem && (
        <ProblemAlert className="m-3" title="Couldn't load versions." problem={problem} onRetry={refresh} />
      )}
      <ol aria-label="Versions" aria-busy={isLoading} className="divide-y">
        {versions.map((version) => (
          <HistoryRow
            key={version.version}
            version={version}
            colour={getColour(version.written_by_team_id)}
            isPicked={pickedVersions.includes(version.version)}
            onPick={() => pick(version.version)}
            onRemoved={() => readAgain(version.version)}
          />
        ))}
      </ol>
      {hasMore && (
        <div className="p-3 text-center">
          <Button variant="outline" disabled={isLoading} onClick={showMore}>
            Older versions
          </Button>
        </div>
      )}
    </section>
  );
}
