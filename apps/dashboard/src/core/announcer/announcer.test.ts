import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type AnnouncementLevel, Announcer, type RegionTexts } from "./announcer";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start(chosen: AnnouncementLevel) {
  const spoken: Partial<RegionTexts>[] = [];
  return {
    spoken,
    announcer: new Announcer(
      () => chosen,
      (part) => void spoken.push(part),
    ),
  };
}

it("[DASH-14] what happens is told at most every five seconds, summed up by sender", () => {
  const { spoken, announcer } = start("all");
  announcer.announce({ kind: "message", from: "Atlas" });
  for (const from of ["Atlas", "Cedar", "Atlas"]) announcer.announce({ kind: "message", from });
  announcer.announce({ kind: "note", text: "The session is held" });
  expect(spoken).toEqual([{ polite: "1 new from Atlas" }]);
  vi.advanceTimersByTime(5_000);
  expect(spoken[1]).toEqual({ polite: "The session is held. 3 new from Atlas and Cedar" });
  vi.advanceTimersByTime(60_000);
  expect(spoken).toHaveLength(2);
});

it("[DASH-14] an ask to oneself is told at once, and only what was chosen is told", () => {
  for (const [chosen, told] of [
    ["all", 2],
    ["asks", 1],
    ["off", 0],
  ] as const) {
    const { spoken, announcer } = start(chosen);
    announcer.announce({ kind: "ask", text: "Cedar asks you" });
    announcer.announce({ kind: "message", from: "Atlas" });
    expect(spoken, chosen).toHaveLength(told);
    announcer.stop();
  }
});
