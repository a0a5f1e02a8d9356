"use client";

import type { AuditSession } from "@merkle/wire";
import { ChevronRight } from "lucide-react";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { cn } from "@/core/utils";
import { Badge } from "@/ui/badge";
import { CopyButton } from "@/ui/copy-button";
import { ChainCheck } from "./chain-check";
import { ThoughtList } from "./thought-list";

export interface AuditSessionRowProps {
  readonly session: AuditSession;
  readonly isOpen: boolean;
}

/** An audit session: its intent, its author and the number of its records. Expanded, it also shows the records and the root. */
export function AuditSessionRow({ session, isOpen }: AuditSessionRowProps) {
  const { session_id, intent, task_id, started_by, started_at, record_count, root, finalized_at } = session;
  return (
    <li className="min-w-0 px-3 py-row">
      <div className="flex min-w-0 items-start justify-between gap-3">
        <h2 className="min-w-0 flex-1">
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setQuery({ a: isOpen ? null : session_id }, { replace: true })}
            // On touch screens the tap target is larger than the visible button.
            className="relative flex min-h-6 max-w-full items-start gap-1.5 rounded-md text-left font-medium hover:text-link pointer-coarse:after:absolute pointer-coarse:after:-inset-y-2.5 pointer-coarse:after:inset-x-0"
          >
            <ChevronRight
              aria-hidden
              className={cn("mt-0.5 size-4 shrink-0 text-muted-foreground", isOpen && "rotate-90")}
            />
            <span dir="auto" className={cn("[overflow-wrap:anywhere]", !isOpen && "line-clamp-2")}>
              {intent}
            </span>
          </button>
        </h2>
        <Badge variant={root === null ? "outline" : "success"}>{root === null ? "Open" : "Finalized"}</Badge>
      </div>
      <div className="min-w-0 pl-5.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm [overflow-wrap:anywhere] text-muted-foreground">
          {started_by !== null && (
            <>
              <bdi>{started_by}</bdi>
              <span aria-hidden>·</span>
            </>
          )}
          <TimeText at={started_at} />
          <span aria-hidden>·</span>
          <span className="tabular-nums">{record_count === 1 ? "1 record" : `${record_count} records`}</span>
          {task_id !== null && (
            <>
              <span aria-hidden>·</span>
              <span className="min-w-0 [overflow-wrap:anywhere]">
                task <bdi>{task_id}</bdi>
              </span>
            </>
          )}
        </p>
        {isOpen && (
          <div className="mt-2 flex min-w-0 flex-col gap-3">
            <dl className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
              <Fact name="ID" value={session_id} />
              {root !== null && <Fact name="Root" value={root} />}
              {finalized_at !== null && (
                <>
                  <dt className="text-muted-foreground">Finalized</dt>
                  <dd>
                    <TimeText at={finalized_at} />
                  </dd>
                </>
              )}
            </dl>
            {record_count > 0 && <ChainCheck sessionId={session_id} records={record_count} />}
            <ThoughtList session={session} />
          </div>
        )}
      </div>
    </li>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-muted-foreground sm:pt-1">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <bdi className="font-mono text-xs [overflow-wrap:anywhere]">{value}</bdi>
        <span className="flex pointer-coarse:-my-3">
          <CopyButton isCompact text={value} contentName={name} />
        </span>
      </dd>
    </>
  );
}
