"use client";

import type { StateEntry, StateScope } from "@merkle/wire";
import { X } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { TimeText } from "@/components/time-text";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { JsonTree } from "./json-tree";
import { useStateChanges } from "./use-state-entries";

export interface StateAddress {
  readonly sessionId: string;
  readonly scope: StateScope;
  readonly key: string;
}

export interface StateDetailsProps {
  readonly address: StateAddress;
  /** Called to restore an earlier value. Undefined if the state is read-only. */
  readonly onSetBack: ((current: StateEntry, value: unknown) => void) | undefined;
  readonly onClose: () => void;
}

/** The history of a key: its earlier values, their authors, and the peers that are notified of changes. */
export function StateDetails({ address, onSetBack, onClose }: StateDetailsProps) {
  const { key, scope, sessionId } = address;
  const { data, problem, refresh } = useRead(
    "get_state",
    { session_id: sessionId, key, scope, history: true, watchers: true },
    { on: ["session"] },
  );
  useStateChanges(address, refresh);
  return (
    <section
      aria-label={`History of ${key}`}
      className="relative space-y-3 border-l-2 border-primary px-4 py-3 text-sm"
    >
      <Button
        variant="ghost"
        size="icon"
        className="absolute top-2 right-2"
        aria-label={`Close history of ${key}`}
        onClick={onClose}
      >
        <X aria-hidden />
      </Button>
      {problem && (
        <ProblemAlert title={`Couldn't load the history of ${key}.`} problem={problem} onRetry={refresh} />
      )}
      {data === undefined && problem === undefined && <Skeleton className="h-16" />}
      {data && (
        <>
          <p className="pr-10">
            <span dir="auto" className="font-mono font-medium [overflow-wrap:anywhere]">
              {key}
            </span>{" "}
            <span className="text-muted-foreground">
              {data.deleted
                ? `was deleted with v${data.version}; `
                : scope === "mesh"
                  ? "is shared by all sessions; "
                  : ""}
              {describeWatchers(data.watched_by ?? [])}
            </span>
          </p>
          <ol aria-label="Values, newest first" className="divide-y border-y">
            {(data.history ?? []).map((entry) => (
              <li
                key={entry.version}
                className="grid grid-cols-[3rem_minmax(0,1fr)] items-start gap-x-3 py-1.5 sm:grid-cols-[3rem_minmax(0,1fr)_14rem_6rem]"
              >
                <span className="leading-6 text-muted-foreground tabular-nums">v{entry.version}</span>
                {entry.deleted || entry.redacted ? (
                  <span className="leading-6 text-muted-foreground">
                    {entry.redacted ? "removed" : "deleted"}
                  </span>
                ) : (
                  <JsonTree value={entry.value} label={`Value of ${key} in version ${entry.version}`} />
                )}
                <span className="leading-6 text-muted-foreground max-sm:col-start-2">
                  <bdi>{entry.updatedBy}</bdi> · <TimeText at={entry.updatedAt} />
                </span>
                {onSetBack && entry.version !== data.version && !entry.deleted && !entry.redacted ? (
                  <Button
                    variant="outline"
                    size="sm"
                    className="justify-self-end max-md:hidden"
                    onClick={() => onSetBack(data, entry.value)}
                  >
                    Set again
                    <span className="sr-only">to version {entry.version}</span>
                  </Button>
                ) : (
                  <span />
                )}
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

function describeWatchers(names: readonly string[]): string {
  if (names.length === 0) return "no peer is watching.";
  const lastName = names.at(-1) ?? "";
  return names.length === 1
    ? `${lastName} is notified of changes.`
    : `${names.slice(0, -1).join(", ")} and ${lastName} are notified of changes.`;
}
