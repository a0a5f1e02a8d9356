"use client";

import type { AuditSession, ThoughtRecord } from "@merkle/wire";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { MarkdownText } from "@/text/markdown/markdown-text";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { ThoughtProof } from "./thought-proof";

const recordsPerPage = 50;
const on = ["audit"] as const;

/** The records of an audit session in chronological order, page by page. */
export function ThoughtList({ session }: { session: AuditSession }) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const after = pages.at(-1) ?? 0;
  const { data, problem, refresh } = useRead(
    "thought_record_list",
    { session_id: session.session_id, after, limit: recordsPerPage },
    { on, keepLast: true },
  );
  if (data === undefined) {
    return problem ? (
      <ProblemAlert title="Couldn't load records." problem={problem} onRetry={refresh} />
    ) : (
      <Skeleton className="h-24" />
    );
  }
  const next = data.next_cursor;
  return (
    <>
      {data.records.length === 0 ? (
        <p className="text-muted-foreground">No records yet.</p>
      ) : (
        <ol aria-label="Records" className="divide-y rounded-lg border">
          {data.records.map((record) => (
            <Thought
              key={record.id}
              record={record}
              root={session.root}
              hasTask={record.task_id !== session.task_id}
            />
          ))}
        </ol>
      )}
      {(pages.length > 1 || next !== null) && (
        <nav aria-label="Pages of records" className="flex gap-2">
          {pages.length > 1 && (
            <Button variant="outline" size="sm" onClick={() => setPages(pages.slice(0, -1))}>
              Earlier records
            </Button>
          )}
          {next !== null && (
            <Button variant="outline" size="sm" onClick={() => setPages([...pages, next])}>
              Later records
            </Button>
          )}
        </nav>
      )}
    </>
  );
}

function Thought({
  record,
  root,
  hasTask,
}: {
  record: ThoughtRecord;
  root: string | null;
  hasTask: boolean;
}) {
  const { number, type, task_id, content, timestamp, hash, recorded_by } = record;
  return (
    <li className="min-w-0 px-3 py-row">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm [overflow-wrap:anywhere] text-muted-foreground">
        <Badge>{type}</Badge>
        <bdi>{recorded_by}</bdi>
        <span aria-hidden>·</span>
        <TimeText at={timestamp} />
        {hasTask && (
          <>
            <span aria-hidden>·</span>
            <span className="[overflow-wrap:anywhere]">
              task <bdi>{task_id}</bdi>
            </span>
          </>
        )}
        <span className="ml-auto tabular-nums" title={`Record ${number} of this mesh`}>
          #{number}
        </span>
      </p>
      <MarkdownText text={content} className="mt-1 max-w-[72ch]" />
      <div className="mt-1 flex flex-wrap items-center gap-x-3">
        <span className="font-mono text-xs text-muted-foreground" title={`SHA-256 ${hash}`}>
          {hash.slice(0, 16)}…
        </span>
        {root !== null && <ThoughtProof record={record} root={root} />}
      </div>
    </li>
  );
}
