"use client";

import { useEffect, useMemo } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { RefusalNote } from "@/components/refusal-note";
import { describeDuration } from "@/core/time/describe-time";
import type { MessageCountsProps } from "@/parts/feature";
import { useSession } from "@/sessions/session-context";
import { TeamMark } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Skeleton } from "@/ui/skeleton";

/** Each team's effort, as counted by the broker. */
export function EffortTable() {
  const { session, participants } = useSession();
  const { data, problem, refresh } = useMessageCounts();
  return (
    <section aria-labelledby="effort">
      <h2 id="effort" className="mb-2 text-lg font-semibold">
        Effort
      </h2>
      {problem && <ProblemAlert title="Couldn't load effort." problem={problem} onRetry={refresh} />}
      {data === undefined ? (
        problem === undefined && <Skeleton className="h-24" />
      ) : (
        <div className="overflow-hidden rounded-lg border">
          <table className="w-full text-left text-sm">
            <thead className="border-b bg-surface text-muted-foreground">
              <tr>
                <th scope="col" className="h-9 w-full px-3 font-medium">
                  Team
                </th>
                <th scope="col" className="px-3 text-right font-medium">
                  Messages
                </th>
                <th scope="col" className="px-3 text-right font-medium">
                  Time in session
                </th>
              </tr>
            </thead>
            <tbody className="divide-y tabular-nums">
              {participants.map((team) => (
                <tr key={team.team_id}>
                  <th scope="row" className="max-w-0 px-3 py-1.5 font-normal">
                    <span className="flex min-w-0 items-center gap-1.5">
                      <TeamMark name={team.team_name} colour={team.colour} />
                      <bdi className="truncate">{showHidden(team.team_name)}</bdi>
                    </span>
                  </th>
                  <td className="px-3 py-1.5 text-right">
                    {(data.counts.get(team.team_id) ?? 0).toLocaleString("en-GB")}
                  </td>
                  <td className="px-3 py-1.5 text-right whitespace-nowrap">
                    {describeDuration(
                      countSecondsBetween(team.joined_at, team.left_at ?? session.closed_at ?? data.to),
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

/** Reads the number of messages per team and passes it to a page of the core. */
export function MessageCounts({ onCounts }: MessageCountsProps) {
  const { data, problem } = useMessageCounts();
  useEffect(() => {
    if (data) onCounts(data.counts);
  }, [data, onCounts]);
  return <RefusalNote refusal={problem ?? null} />;
}

/** Reads the number of messages by team id, and the time up to which they were counted. */
export function useMessageCounts() {
  const { session } = useSession();
  const { data, ...read } = useRead(
    "get_timeline",
    { session_id: session.session_id, buckets: 1 },
    { on: ["session", "document"] },
  );
  const totals = useMemo(() => {
    if (data === undefined) return undefined;
    const counts = data.lanes.map((lane) => [lane.team_id, lane.counts[0] ?? 0] as const);
    return { counts: new Map(counts), to: data.to };
  }, [data]);
  return { ...read, data: totals };
}

function countSecondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
}
