import { expect, it } from "vitest";
import { isNarrowed, toCursorBefore, toMemoryChoice, toMemoryRead, toMemoryTags } from "./memory-choice";

const today = new Date("2026-11-22T10:00:00.000Z");
const readOf = (query: string, session: string | null = null) =>
  toMemoryRead(toMemoryChoice(new URLSearchParams(query)), { session, today });

it("[DASH-146] the address says which memories are shown", () => {
  expect(readOf("")).toEqual({ recall: null, list: { forgotten: false, limit: 50 } });
  expect(readOf("tag=ci,tests&by=Ana&since=week&forgotten=1&before=mem_9", "auth")).toEqual({
    recall: null,
    list: {
      tags: ["ci", "tests"],
      by: "Ana",
      since: "2026-11-15T10:00:00.000Z",
      session: "auth",
      forgotten: true,
      limit: 50,
      before: "mem_9",
    },
  });
  expect(readOf("q=+rate+limit+&before=mem_9")).toEqual({
    recall: { query: "rate limit", limit: 100 },
    list: null,
  });
  expect(readOf("since=forever&q=%20")).toEqual(readOf(""));
  expect(isNarrowed(toMemoryChoice(new URLSearchParams("forgotten=1&before=mem_9")))).toBe(false);
  expect(isNarrowed(toMemoryChoice(new URLSearchParams("by=Ana")))).toBe(true);
});

it("[DASH-146] tags are written with commas between them", () => {
  expect(toMemoryTags(" CI, tests,,ci ")).toEqual(["ci", "tests"]);
});

it("[DASH-147] one memory is read by the cursor behind it", () => {
  expect(toCursorBefore("mem_12")).toBe("mem_13");
  for (const wrong of ["mem_0", "12", "mem_1x", ""]) expect(toCursorBefore(wrong)).toBeNull();
});
