"use client";

import { AtSign, BellRing, ListFilter } from "lucide-react";
import Link from "next/link";
import { useCompose } from "@/components/compose/compose-context";
import { RefusalNote } from "@/components/session/refusal-note";
import { useSession } from "@/components/session/session-context";
import { Button } from "@/components/ui/button";
import type { RosterRow } from "./roster-rows";
import { useNudge } from "./use-nudge";

/** What a person can do about a team: write to it, wake it, and look at what it said. */
export function PeerActions({ row, onDone }: { row: RosterRow; onDone: () => void }) {
  const { session } = useSession();
  const { address } = useCompose();
  const { team, isMe } = row;
  const here = team.left_at === null && session.status === "active";
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        {here && !isMe && (
          <Button
            size="sm"
            onClick={() => {
              onDone();
              address(team.team_name);
            }}
          >
            <AtSign aria-hidden /> Write to
          </Button>
        )}
        <Button asChild variant="outline" size="sm">
          <Link
            href={`/sessions/${session.slug}?team=${encodeURIComponent(team.team_name)}`}
            scroll={false}
            onClick={onDone}
          >
            <ListFilter aria-hidden /> Messages from or to
          </Link>
        </Button>
      </div>
      {here && !isMe && team.kind === "agent" && <Nudge to={team.team_name} />}
    </div>
  );
}

function Nudge({ to }: { to: string }) {
  const { nudge, pending, told, refusal } = useNudge(to);
  return (
    <div className="grid gap-2">
      <Button variant="outline" size="sm" className="justify-self-start" disabled={pending} onClick={nudge}>
        <BellRing aria-hidden /> {pending ? "Nudging…" : "Nudge"}
      </Button>
      <p role="status" className="text-sm break-words text-muted-foreground empty:hidden">
        {told}
      </p>
      <RefusalNote refusal={refusal} />
    </div>
  );
}
