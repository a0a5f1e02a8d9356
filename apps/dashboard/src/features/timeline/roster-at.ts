import type { Participant, TimelineMark } from "@merkle/wire";

export interface PastTeam extends Pick<Participant, "team_id" | "team_name" | "kind" | "colour"> {
  /** The time of the team's last join. */
  readonly since: string;
}

/**
 * Returns the teams present at a moment, in the order in which they joined. A team may have left and rejoined earlier.
 */
export function findRosterAt(
  participants: readonly Participant[],
  marks: readonly TimelineMark[],
  moment: number,
): PastTeam[] {
  return participants.flatMap(({ team_id, team_name, kind, colour, joined_at, left_at }) => {
    if (Date.parse(joined_at) > moment) return [];
    const last = marks.findLast(
      ({ kind: markKind, by, at }) =>
        (markKind === "joined" || markKind === "left") && by === team_name && Date.parse(at) <= moment,
    );
    const hasLeft =
      last === undefined ? left_at !== null && Date.parse(left_at) <= moment : last.kind === "left";
    return hasLeft ? [] : [{ team_id, team_name, kind, colour, since: last?.at ?? joined_at }];
  });
}
