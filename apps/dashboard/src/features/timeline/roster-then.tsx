"use client";

import { TimeText } from "@/components/time-text";
import { useReplayed } from "@/feed/pane/replay-context";
import { HumanBadge } from "@/identity/human-badge";
import { useSession } from "@/sessions/session-context";
import { TeamMark } from "@/sessions/team-mark";
import { showHidden } from "@/text/markdown/hidden-characters";
import { findRosterAt } from "./roster-at";
import { useTimeline } from "./use-timeline";

/** The teams present at the moment being shown. Replaces the roster, because past activity is not recorded. */
export function PastRoster() {
  const { participants, at } = useSession();
  const { data } = useTimeline();
  const moment = useReplayed((replay) => replay.findAt(at)?.moment ?? (at === null ? 0 : Date.parse(at)));
  const teams = findRosterAt(participants, data?.marks ?? [], moment);
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list is scrolled by keys as well.
      tabIndex={0}
      aria-label="Participants at this time"
      className="flex min-w-0 items-center gap-2 overflow-x-auto rounded-md bg-highlight px-1.5 py-1 text-sm [scrollbar-width:none]"
    >
      {teams.length === 0 && <p className="text-muted-foreground">No one had joined yet.</p>}
      <ul className="flex min-w-0 items-center gap-1">
        {teams.map(({ team_id, team_name, kind, colour, since }) => (
          <li
            key={team_id}
            className="flex h-7 shrink-0 items-center gap-1.5 rounded-md border bg-background px-1.5 motion-safe:transition-opacity motion-safe:duration-150 motion-safe:starting:opacity-0"
          >
            <TeamMark name={team_name} colour={colour} />
            <bdi className="max-w-40 truncate font-medium">{showHidden(team_name)}</bdi>
            <HumanBadge kind={kind} />
            <span className="text-muted-foreground tabular-nums max-md:hidden">
              joined <TimeText at={since} as="clock" />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
