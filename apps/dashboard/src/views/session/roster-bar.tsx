"use client";

import { Users } from "lucide-react";
import { useState } from "react";
import { lazyPart } from "@/core/lazy-part";
import type { RosterFact } from "@/parts/feature";
import { Parts } from "@/parts/features-context";
import { isInBar, type RosterRow, toRosterRows } from "@/sessions/roster-rows";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { RosterChip } from "./roster-chip";

const PeerCard = lazyPart(() => import("./peer-card"), "PeerCard");
const RosterSheet = lazyPart(() => import("./roster-sheet"), "RosterSheet");

const noFacts: ReadonlyMap<string, RosterFact> = new Map();

/** The teams and their current work. Teams that need a human come first. A chip opens the team's card. */
export function RosterBar() {
  const { participants, peers, myTeamId } = useSession();
  const [facts, setFacts] = useState<ReadonlyMap<string, RosterFact>>(noFacts);
  const [openCard, setOpenCard] = useState<{ teamId: string; anchor: HTMLElement } | null>(null);
  const [isSheetOpen, setSheetOpen] = useState(false);
  const findFact = ({ team }: RosterRow) => facts.get(team.team_id);
  const computeRank = (row: RosterRow) => (row.blocked ? 0 : findFact(row)?.wait ? 1 : 2);
  const rows = toRosterRows({ participants, peers, myTeamId }).sort(
    (a, b) => computeRank(a) - computeRank(b),
  );
  const now = new Date();
  const barRows = rows.filter((row) => isInBar(row, now));
  const hidden = rows.length - barRows.length;
  const openedRow = rows.find(({ team }) => team.team_id === openCard?.teamId);

  return (
    <section
      aria-label="Participants"
      className="flex min-w-0 items-center gap-2 border-b px-4 md:py-1.5 lg:px-6"
    >
      {rows.length === 0 ? (
        <p className="text-sm text-muted-foreground">No one has joined yet.</p>
      ) : (
        <ul className="relative flex min-w-0 flex-1 gap-1.5 overflow-x-auto overscroll-x-contain py-0.5 [scrollbar-width:thin] md:grid md:max-h-28 md:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))] md:overflow-y-auto short:flex">
          {barRows.map((row) => (
            <li key={row.team.team_id} className="min-w-0 shrink-0">
              <RosterChip
                row={row}
                agent={findFact(row)}
                isExpanded={row.team.team_id === openCard?.teamId}
                onOpen={(anchor) =>
                  setOpenCard((now) => (now?.anchor === anchor ? null : { teamId: row.team.team_id, anchor }))
                }
              />
            </li>
          ))}
        </ul>
      )}
      {rows.length > 0 && (
        <Button
          variant="ghost"
          size="sm"
          className="shrink-0 text-muted-foreground"
          onClick={() => setSheetOpen(true)}
        >
          <Users aria-hidden />
          <span className="max-md:sr-only">{hidden > 0 ? `All ${rows.length}` : "All participants"}</span>
        </Button>
      )}
      <Parts select={({ session }) => session?.RosterFacts} given={{ onFacts: setFacts }} />
      {openCard && openedRow && (
        <PeerCard row={openedRow} anchor={openCard.anchor} onClose={() => setOpenCard(null)} />
      )}
      {isSheetOpen && <RosterSheet rows={rows} onClose={() => setSheetOpen(false)} />}
    </section>
  );
}
