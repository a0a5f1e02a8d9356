import type { Participant, TimelineMark } from "@merkle/wire";
import { expect, it } from "vitest";
import { findRosterAt } from "./roster-at";

const at = (second: number) => new Date(Date.UTC(2026, 4, 2, 14, 0, second)).toISOString();
const mark = (kind: TimelineMark["kind"], by: string, second: number): TimelineMark => ({
  kind,
  at: at(second),
  by,
  sequence: second,
  version: null,
});

it("[DASH-333] the roster of a moment has who had joined and not left, whatever came later", () => {
  const team = (team_name: string, joined: number, left: number | null) =>
    ({
      team_id: team_name,
      team_name,
      joined_at: at(joined),
      left_at: left === null ? null : at(left),
    }) as Participant;
  const participants = [team("Atlas", 0, null), team("Birch", 2, null), team("Cedar", 3, 9)];
  const marks = [mark("joined", "Birch", 2), mark("left", "Birch", 4), mark("joined", "Birch", 6)];
  const names = (second: number) =>
    findRosterAt(participants, marks, Date.parse(at(second))).map(({ team_name }) => team_name);
  expect([0, 2, 3, 5, 6, 9].map(names)).toEqual([
    ["Atlas"],
    ["Atlas", "Birch"],
    ["Atlas", "Birch", "Cedar"],
    ["Atlas", "Cedar"],
    ["Atlas", "Birch", "Cedar"],
    ["Atlas", "Birch"],
  ]);
});
