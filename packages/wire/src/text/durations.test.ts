import { expect, it } from "vitest";
import { describeDuration, parseDuration } from "./durations.js";

it("[DASH-391] a duration is read in the spellings that people use, and needs a unit", () => {
  for (const [text, seconds] of [
    ["0", 0],
    ["90s", 90],
    ["90 sec", 90],
    ["10m", 600],
    ["10 min.", 600],
    ["10 Minutes", 600],
    ["2 h", 7_200],
    ["1h30m", 5_400],
    ["1 h 30 min", 5_400],
    ["1.5 hours", 5_400],
    ["1,5 hrs", 5_400],
    ["0.1 h", 360],
    ["2 days and 4 hours", 187_200],
    ["1 day, 1 second", 86_401],
    ["2 weeks", 1_209_600],
  ] as const) {
    expect(parseDuration(text), text).toBe(seconds);
  }
  for (const text of [
    "",
    "10",
    "m",
    "-5 m",
    "10 x",
    "10 m 5",
    "ten minutes",
    "10 m ago",
    "1e3 s",
    "1.5 s",
    "and",
  ])
    expect(parseDuration(text), text).toBeNull();
});

it("[DASH-391] a duration is written in words that are read as the same duration", () => {
  for (const [seconds, text] of [
    [0, "0 seconds"],
    [1, "1 second"],
    [600, "10 minutes"],
    [5_400, "1 hour 30 minutes"],
    [86_400, "1 day"],
    [2_592_000, "30 days"],
    [90_061, "1 day 1 hour 1 minute 1 second"],
  ] as const) {
    expect(describeDuration(seconds)).toBe(text);
    expect(parseDuration(text)).toBe(seconds);
  }
});
