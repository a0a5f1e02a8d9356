import { expect, it } from "vitest";
import { assignTeamMarks } from "./team-marks.js";

it.each([
  [
    ["Atlas", "Birch"],
    ["A", "B"],
  ],
  [
    ["Atlas", "Alex's Team", "Birch"],
    ["At", "AS", "B"],
  ],
  [
    ["Blue Team", "Blue Tern"],
    ["BT", "Bl"],
  ],
  [
    ["A", "a"],
    ["A1", "A2"],
  ],
  [
    ["認証", "認可"],
    ["認証", "認可"],
  ],
  [
    ["🚀", "!"],
    ["🚀", "!"],
  ],
])("[CLI-13] the marks of the teams %j differ", (names, marks) => {
  expect(assignTeamMarks(names)).toEqual(marks);
});
