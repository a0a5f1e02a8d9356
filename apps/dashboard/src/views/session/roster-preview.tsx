"use client";

import { CircleAlert } from "lucide-react";
import { useEffect } from "react";
import { HumanBadge } from "@/identity/human-badge";
import type { RosterFact } from "@/parts/feature";
import type { RosterRow } from "@/sessions/roster-rows";
import { StatusMark } from "@/sessions/status-mark";
import { TeamMark } from "@/sessions/team-mark";
import { AgentUnread, isStuck, Now } from "./roster-avatar";

export interface RosterPreviewProps {
  readonly row: RosterRow;
  readonly agent: RosterFact | undefined;
  /** The avatar below which the preview is shown. */
  readonly anchor: HTMLElement;
  readonly onClose: () => void;
}

/**
 * What a team does now, while its avatar is hovered or focused. Hidden from screen readers, because the avatar's own text
 * says the same.
 */
export function RosterPreview({ row, agent, anchor, onClose }: RosterPreviewProps) {
  const { team, peers, blocked, dnd, isMe } = row;
  const role = peers.length === 1 ? peers[0]?.role : null;
  useEffect(() => {
    // In the capture phase, so that Escape closes only the preview, wherever the focus is.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      onClose();
    };
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [onClose]);
  const { bottom, right } = anchor.getBoundingClientRect();
  return (
    <div
      aria-hidden
      data-slot="roster-preview"
      className="fixed z-40 max-w-[calc(100vw-1rem)] pt-1.5"
      style={{ top: bottom, right: Math.max(8, Math.min(innerWidth - right, innerWidth - 296)) }}
    >
      <div className="grid w-72 max-w-full gap-1 rounded-lg border bg-background p-3 text-sm shadow-lg">
        <p className="flex min-w-0 flex-wrap items-center gap-1.5">
          <TeamMark name={team.team_name} colour={team.colour} />
          <bdi className="min-w-0 font-medium break-words">{team.team_name}</bdi>
          {isMe ? <span className="text-muted-foreground">(you)</span> : <HumanBadge kind={team.kind} />}
          {role && <bdi className="min-w-0 break-words text-muted-foreground">{role}</bdi>}
          {peers.length > 1 && <span className="text-muted-foreground tabular-nums">×{peers.length}</span>}
          {isStuck(row, agent) && <CircleAlert className="size-3.5 text-warning" />}
        </p>
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
          <Now row={row} agent={agent} />
        </p>
        <p className="flex flex-wrap items-center gap-x-3 text-muted-foreground">
          <StatusMark status={team.status} isBlocked={blocked !== null} isDnd={dnd !== null} showsLabel />
          {agent?.usage && <span>{agent.usage}</span>}
          <AgentUnread agent={agent} />
        </p>
      </div>
    </div>
  );
}
