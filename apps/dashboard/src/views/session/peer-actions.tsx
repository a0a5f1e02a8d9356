"use client";

import { AtSign, BellRing, History, ListFilter } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { RefusalNote } from "@/components/refusal-note";
import { useCompose } from "@/feed/compose/compose-context";
import type { RosterRow } from "@/sessions/roster-rows";
import { useSession } from "@/sessions/session-context";
import { useNudge } from "@/sessions/use-nudge";
import { Button } from "@/ui/button";

/** The actions on a team: write to it, nudge it, show what it did, and filter the feed by its messages. */
export function PeerActions({ row, onDone }: { row: RosterRow; onDone: () => void }) {
  const { session, isObserver } = useSession();
  const { address } = useCompose();
  const { team, isMe } = row;
  const { nudge, isPending, resultText, refusal } = useNudge(team.team_name);
  const isReachable = team.left_at === null && session.status === "active" && !isMe && !isObserver;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-1.5">
        {isReachable && (
          <Button
            variant="outline"
            size="sm"
            onClick={() => {
              onDone();
              // A closing card returns the focus to its anchor. Only after that can the composer take the focus.
              requestAnimationFrame(() => address(team.team_name));
            }}
          >
            <AtSign aria-hidden /> Write to
          </Button>
        )}
        {isReachable && team.kind === "agent" && (
          <Button variant="outline" size="sm" disabled={isPending} onClick={nudge}>
            <BellRing aria-hidden /> {isPending ? "Nudging…" : "Nudge"}
          </Button>
        )}
        <Button asChild variant="outline" size="sm">
          <PageLink
            href={`/sessions/${session.slug}/audit?by=${encodeURIComponent(team.team_name)}`}
            scroll={false}
            onClick={onDone}
            className="min-w-0 max-w-full"
          >
            <History aria-hidden />
            <span className="truncate">
              What <bdi>{team.team_name}</bdi> did
            </span>
          </PageLink>
        </Button>
        <Button asChild variant="outline" size="sm">
          <PageLink
            href={`/sessions/${session.slug}?team=${encodeURIComponent(team.team_name)}`}
            scroll={false}
            onClick={onDone}
          >
            <ListFilter aria-hidden /> Messages from or to
          </PageLink>
        </Button>
      </div>
      <p role="status" className="text-sm break-words text-muted-foreground empty:hidden">
        {resultText}
      </p>
      <RefusalNote refusal={refusal} />
    </div>
  );
}
