"use client";

import type { ReactNode } from "react";
import type { ReadResult } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { Skeleton } from "@/ui/skeleton";

export interface ReadPanelProps<T> {
  readonly read: ReadResult<T>;
  /** Message shown if the read fails. */
  readonly failureTitle: string;
  readonly children: (data: T) => ReactNode;
}

/** Shows the data of a read, a skeleton while it loads, or the reason why it failed. */
export function ReadPanel<T>({
  read: { data, problem, refresh },
  failureTitle,
  children,
}: ReadPanelProps<T>) {
  return (
    <div className="grid gap-3">
      {problem && (
        <ProblemAlert title={failureTitle} problem={problem} isStale={data !== undefined} onRetry={refresh} />
      )}
      {data ? children(data) : problem === undefined && <Skeleton className="h-56" />}
    </div>
  );
}
