"use client";

import { AnchoredPopover } from "@/components/anchored-popover";
import { TimeText } from "@/components/time-text";
import { HumanBadge } from "@/identity/human-badge";
import type { RosterRow } from "@/sessions/roster-rows";
import { StatusMark } from "@/sessions/status-mark";
import { TeamMark } from "@/sessions/team-mark";
import { Badge } from "@/ui/badge";
import { PeerActions } from "./peer-actions";
import { PeerFacts } from "./peer-facts";

export interface PeerCardProps {
  readonly row: RosterRow;
  /** The element that the card opens at. It receives the focus when the card closes. */
  readonly anchor: HTMLElement;
  readonly onClose: () => void;
}

/** A popover with facts about a team and its peers, each with its age, and the actions on them. */
export function PeerCard({ row, anchor, onClose }: PeerCardProps) {
  return (
    <AnchoredPopover label={row.team.team_name} anchor={anchor} onClose={onClose} className="w-88">
      <PeerCardBody row={row} onDone={onClose} />
    </AnchoredPopover>
  );
}

function PeerCardBody({ row, onDone }: { row: RosterRow; onDone: () => void }) {
  const { team, peers, isMe } = row;
  return (
    <>
      <header className="flex items-start gap-2">
        <TeamMark name={team.team_name} colour={team.colour} className="mt-0.5" />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-1.5">
            <span dir="auto" className="font-semibold break-words">
              {team.team_name}
            </span>
            {isMe && <span className="text-muted-foreground">(you)</span>}
            <HumanBadge kind={team.kind} />
            {team.convener && <Badge variant="outline">convener</Badge>}
          </p>
          <p className="text-sm text-muted-foreground">
            {team.left_at === null ? (
              <>
                joined <TimeText at={team.joined_at} />
              </>
            ) : (
              <>
                left <TimeText at={team.left_at} />
              </>
            )}
          </p>
        </div>
        {team.left_at === null && (
          <StatusMark
            status={team.status}
            isBlocked={row.blocked !== null}
            isDnd={row.dnd !== null}
            showsLabel
            className="mt-0.5 text-sm text-muted-foreground"
          />
        )}
      </header>
      <ul className="my-3 grid gap-3 border-y py-3">
        {peers.map((peer) => (
          <li key={peer.peer_id}>
            <PeerFacts peer={peer} isAlone={peers.length === 1} />
          </li>
        ))}
        {peers.length === 0 && <li className="text-sm text-muted-foreground">No known peers.</li>}
      </ul>
      <PeerActions row={row} onDone={onDone} />
    </>
  );
}
