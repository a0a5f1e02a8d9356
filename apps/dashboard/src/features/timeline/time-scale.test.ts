import { expect, it } from "vitest";
import {
  describeMoment,
  findAdjacentMoment,
  findMoments,
  type Timeline,
  toMoment,
  toShare,
  toTimeScale,
} from "./time-scale";

const at = (second: number) => new Date(Date.UTC(2026, 4, 2, 14, 0, second)).toISOString();
const ms = (second: number) => Date.parse(at(second));
const team = { team_id: "00000000-0000-0000-0000-000000000000", kind: "agent", colour: 0 } as const;

const timeline: Timeline = {
  from: at(0),
  to: at(35),
  bucket_ms: 10_000,
  lanes: [
    { ...team, team: "Atlas", counts: [0, 4, 0, 1] },
    { ...team, team: "Birch", counts: [0, 0, 0, 1] },
  ],
  marks: [
    { kind: "joined", at: at(0), by: "Atlas", sequence: 1, version: null },
    { kind: "ask", at: at(12), by: "Atlas", sequence: 3, version: null },
    { kind: "document", at: at(20), by: "Birch", sequence: null, version: 2 },
  ],
  marks_left_out: 0,
};
const scale = toTimeScale(timeline);

it("[DASH-130] a moment stands at its share of the time between both ends", () => {
  expect(toShare(scale, ms(7))).toBe(0.2);
  expect(toMoment(scale, 0.2)).toBe(ms(7));
  expect([toShare(scale, ms(-5)), toShare(scale, ms(99))]).toEqual([0, 1]);
  const born = toTimeScale({ ...timeline, to: timeline.from });
  expect(toShare(born, ms(0))).toBe(0);
});

it("[DASH-130] a stretch in which nothing happened is drawn narrow, and every moment has its place nevertheless", () => {
  const counts = Array.from({ length: 100 }, (_, bucket) => (bucket < 10 || bucket >= 90 ? 1 : 0));
  const long = toTimeScale({
    ...timeline,
    to: new Date(ms(0) + 1_000_000).toISOString(),
    lanes: [{ ...team, team: "Atlas", counts }],
    marks: [],
  });
  expect(long.folds).toEqual([{ from: ms(0) + 100_000, to: ms(0) + 900_000 }]);
  // There are ten buckets on either side. The eighty empty buckets in between are drawn as wide as an eighth of these
  // twenty.
  expect(toShare(long, ms(0) + 100_000)).toBeCloseTo(10 / 22.5);
  expect(toShare(long, ms(0) + 900_000)).toBeCloseTo(12.5 / 22.5);
  for (const at of [0, 50_000, 100_000, 300_000, 899_000, 950_000, 1_000_000]) {
    expect(toMoment(long, toShare(long, ms(0) + at))).toBe(ms(0) + at);
  }
});

it("[DASH-131] steps go from one moment at which something happened to the next, and end at now", () => {
  const moments = findMoments(timeline);
  expect(moments.map((moment) => (moment - ms(0)) / 1000)).toEqual([0, 12, 20, 35]);
  const step = (current: number | null, direction: 1 | -1) =>
    findAdjacentMoment(moments, scale, current, direction);
  expect(step(null, -1)).toBe(ms(20));
  expect(step(ms(20), -1)).toBe(ms(12));
  expect(step(ms(0), -1)).toBe(ms(0));
  expect(step(ms(12), 1)).toBe(ms(20));
  expect(step(ms(20), 1)).toBeNull();
  expect(step(null, 1)).toBeNull();
});

it("[DASH-131] a moment is told in words", () => {
  expect(describeMoment(timeline, ms(12))).toBe("Atlas asked (3); messages here: Atlas 4");
  expect(describeMoment(timeline, ms(20))).toBe("Birch wrote document v2; messages here: Atlas 4");
  expect(describeMoment(timeline, ms(35))).toBe("messages here: Atlas 1, Birch 1");
  expect(describeMoment(timeline, ms(5))).toBe("no messages here");
});
