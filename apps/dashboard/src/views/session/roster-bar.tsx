"use client";

import { Users } from "lucide-react";
import { useCallback, useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import { useMediaQuery } from "@/core/use-media-query";
import type { RosterFact } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { isInBar, type RosterRow, toRosterRows } from "@/sessions/roster-rows";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { RosterAvatar } from "./roster-avatar";

const PeerCard = lazyPart(() => import("./peer-card"), "PeerCard");
const RosterPreview = lazyPart(() => import("./roster-preview"), "RosterPreview");
const RosterSheet = lazyPart(() => import("./roster-sheet"), "RosterSheet");

const noFacts: ReadonlyMap<string, RosterFact> = new Map();

interface OpenCard {
  readonly teamId: string;
  readonly anchor: HTMLElement;
}

/**
 * The teams as avatars. Teams that need a human come first. Hovering or focusing an avatar shows what the team does now, and
 * pressing it opens the team's card. The list of all participants has the teams that do not fit.
 */
export function RosterBar() {
  const { participants, peers, myTeamId } = useSession();
  const [facts, setFacts] = useState<ReadonlyMap<string, RosterFact>>(noFacts);
  const [preview, setPreview] = useState<OpenCard | null>(null);
  const [card, setCard] = useState<OpenCard | null>(null);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const shownMax = useMediaQuery("(min-width: 120rem)") ? 30 : 12;
  const closePreview = useCallback(() => setPreview(null), []);
  const findFact = ({ team }: RosterRow) => facts.get(team.team_id);
  const computeRank = (row: RosterRow) => (row.blocked ? 0 : findFact(row)?.wait ? 1 : 2);
  const rows = toRosterRows({ participants, peers, myTeamId }).sort(
    (a, b) => computeRank(a) - computeRank(b),
  );
  const now = new Date();
  const shownRows = rows.filter((row) => isInBar(row, now)).slice(0, shownMax);
  const cardRow = rows.find(({ team }) => team.team_id === card?.teamId);

  return (
    <section aria-label="Participants" className="flex min-w-0 items-center gap-1">
      {rows.length === 0 && <p className="text-sm text-muted-foreground">No one has joined yet.</p>}
      {/* The padding leaves space for the outline of a focused avatar. */}
      <ul className="flex min-w-0 gap-1 overflow-x-auto overscroll-x-contain p-1 pointer-coarse:py-0.5 [scrollbar-width:none]">
        {shownRows.map((row) => {
          const { team_id } = row.team;
          return (
            // The mouse can leave late, when another team's preview is open already.
            <li
              key={team_id}
              className="shrink-0"
              onPointerLeave={() => setPreview((open) => (open?.teamId === team_id ? null : open))}
            >
              <RosterAvatar
                row={row}
                agent={findFact(row)}
                isExpanded={team_id === card?.teamId}
                onPreview={(anchor) => setPreview(anchor && { teamId: team_id, anchor })}
                onOpen={(anchor) =>
                  setCard((open) => (open?.anchor === anchor ? null : { teamId: team_id, anchor }))
                }
              />
              {/* Inside the list item, so that the mouse can move onto it. */}
              {preview?.teamId === team_id && card === null && (
                <RosterPreview
                  row={row}
                  agent={findFact(row)}
                  anchor={preview.anchor}
                  onClose={closePreview}
                />
              )}
            </li>
          );
        })}
      </ul>
      {rows.length > 0 && (
        <Button
          variant="ghost"
          size="sm"
          className="text-muted-foreground tabular-nums"
          onClick={() => setSheetOpen(true)}
        >
          <Users aria-hidden />
          <span className="sr-only">All participants</span> {rows.length}
        </Button>
      )}
      <Parts select={({ session }) => session?.RosterFacts} given={{ onFacts: setFacts }} />
      {card && cardRow && <PeerCard row={cardRow} anchor={card.anchor} onClose={() => setCard(null)} />}
      {isSheetOpen && <RosterSheet rows={rows} onClose={() => setSheetOpen(false)} />}
    </section>
  );
}
