import type { SearchHit } from "@merkle/wire";
import { expect, it } from "vitest";
import { describeHitTitle, groupHits, toHitHref } from "./search-hits";

const hit: SearchHit = {
  kind: "message",
  session_id: "5e551000-0000-4000-8000-000000000001",
  session: "auth",
  sequence: 405,
  task: null,
  memory_id: null,
  version: null,
  key: null,
  progress_id: null,
  topic_id: null,
  source_path: null,
  project: null,
  title: "Split the auth service",
  by: "Atlas",
  at: "2026-11-22T10:00:00.000Z",
  marked: "the «key»",
  rank: 1,
};

it("[DASH-149] a hit opens at its place", () => {
  expect(toHitHref(hit)).toBe("/sessions/auth?m=405");
  expect(toHitHref({ ...hit, kind: "decision" })).toBe("/sessions/auth?m=405");
  expect(toHitHref({ ...hit, kind: "document", version: 3 })).toBe("/sessions/auth/doc");
  expect(toHitHref({ ...hit, kind: "task", task: 7 })).toBe("/sessions/auth/tasks?task=7");
  expect(toHitHref({ ...hit, kind: "session" })).toBe("/sessions/auth");
  expect(toHitHref({ ...hit, kind: "memory", memory_id: "mem_12" })).toBe("/memory?id=mem_12");
  const entry: SearchHit = { ...hit, kind: "progress", progress_id: "a1b2c3d4e5f6", project: "mobile-app" };
  expect(toHitHref(entry)).toBe("/progress?p=a1b2c3d4e5f6");
  const state: SearchHit = { ...hit, kind: "state", key: "deploy frozen&" };
  expect(toHitHref(state)).toBe("/sessions/auth/state?key=deploy%20frozen%26");
  expect(toHitHref({ ...state, session: null })).toBeNull();
  expect(toHitHref({ ...state, session: null }, "auth")).toBe(
    "/sessions/auth/state?scope=mesh&key=deploy%20frozen%26",
  );
});

it("[DASH-302] what was said in a comment opens it, at the document or the file that it is on", () => {
  const comment: SearchHit = { ...hit, kind: "topic", topic_id: 2, title: "Longer?" };
  expect(toHitHref(comment)).toBe("/sessions/auth/doc?topic=2");
  const ofFile = { ...comment, session_id: null, session: null, source_path: "docs/guide.md" };
  expect(toHitHref(ofFile)).toBe("/sources?file=docs/guide.md&topic=2");
  expect(describeHitTitle(ofFile)).toBe("Longer?");
});

it("[DASH-149] a hit is named for what it is", () => {
  expect(describeHitTitle(hit)).toBe("Split the auth service #405");
  expect(describeHitTitle({ ...hit, kind: "task", task: 7 })).toBe("task 7 of Split the auth service");
  expect(describeHitTitle({ ...hit, kind: "state", key: "deploy_frozen" })).toBe("deploy_frozen");
  expect(describeHitTitle({ ...hit, kind: "progress", title: "Issuer done" })).toBe("Issuer done");
  expect(describeHitTitle({ ...hit, kind: "memory", memory_id: "mem_12" })).toBe("mem_12");
});

it("[DASH-386] hits are grouped by session, in the order of the best ones, and equal texts of a kind are one row", () => {
  const at = (sequence: number, session: string | null, marked: string, more: object = {}): SearchHit => ({
    ...hit,
    ...{ sequence, session, title: session && `About ${session}`, marked },
    ...more,
  });
  const groups = groupHits([
    at(9, "auth", "«wait»"),
    at(8, "deploy", "«wait»"),
    at(7, "auth", "«wait» for it"),
    at(6, "auth", "«wait»"),
    at(5, "auth", "wait"),
    at(4, "auth", "«wait»", { kind: "decision" }),
    at(3, null, "«wait»", { kind: "memory", title: null }),
  ]);
  expect(
    groups.map(({ title, count, rows }) => ({
      ...{ title, count },
      rows: rows.map(({ hit, others }) => [hit.sequence, ...others.map(({ sequence }) => sequence)]),
    })),
  ).toEqual([
    { title: "About auth", count: 5, rows: [[9, 6, 5], [7], [4]] },
    { title: "About deploy", count: 1, rows: [[8]] },
    { title: null, count: 1, rows: [[3]] },
  ]);
});
