import { expect, it } from "vitest";
import { formatBriefLine } from "./brief-line.js";

it("[BRIEF-1] a line has its date only if that is not today's", () => {
  const fact = {
    kind: "decision",
    sequence: 12,
    version: null,
    by: "Atlas",
    text: "Keep v1 tokens",
  } as const;
  const at = "2026-03-02T14:02:10.123Z";
  expect(formatBriefLine({ ...fact, at }, new Date("2026-03-02T23:59:59Z"))).toBe(
    "#12 decision by Atlas 14:02:10: Keep v1 tokens",
  );
  expect(formatBriefLine({ ...fact, at }, new Date("2026-03-03T00:00:00Z"))).toBe(
    "#12 decision by Atlas 2026-03-02 14:02:10: Keep v1 tokens",
  );
});
