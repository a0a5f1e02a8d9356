import type { Session } from "@merkle/wire";
import { StatusMark } from "@/components/roster/status-mark";
import { TeamMark } from "@/components/roster/team-mark";

export interface TeamStackProps {
  readonly teams: Session["present"];
  /** How many there are in all; those beyond the ones named are counted. */
  readonly total: number;
}

const shownMax = 5;

/** Who is in a session, each as two letters in its colour with what was seen of it. */
export function TeamStack({ teams, total }: TeamStackProps) {
  if (total === 0) return <span className="text-muted-foreground">nobody</span>;
  const shown = teams.slice(0, shownMax);
  return (
    <ul aria-label="Teams" className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      {shown.map((team) => (
        <li key={team.team_id} title={describeTeam(team)} className="flex items-center gap-1">
          <TeamMark name={team.team_name} colour={team.colour} />
          <StatusMark status={team.status} blocked={team.blocked} />
          <span className="sr-only">{describeTeam(team)}</span>
        </li>
      ))}
      {total > shown.length && <li className="text-xs text-muted-foreground">+{total - shown.length}</li>}
    </ul>
  );
}

function describeTeam({ team_name, kind }: Session["present"][number]): string {
  return kind === "agent" ? team_name : `${team_name}, ${kind}`;
}
