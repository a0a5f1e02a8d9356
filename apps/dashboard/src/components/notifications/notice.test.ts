import type { AttentionItem } from "@merkle/wire";
import { expect, it } from "vitest";
import { compareNotices, type Notice, toNotice } from "./notice";

const notice = (id: string): Notice => ({
  id,
  reason: "ask",
  title: "Auth",
  body: "",
  subjects: ["1", "auth"],
  address: "/sessions/auth",
});

const ask: AttentionItem = {
  id: "ask:1:2",
  kind: "ask",
  session_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
  session: "auth",
  session_title: "Auth",
  source_path: null,
  since: "2026-01-01T00:00:00.000Z",
  sequence: 2,
  number: null,
  team: "Cedar",
  peer: null,
  text: "Which key?",
  options: [],
  dismissed: false,
  snoozed_until: null,
};

it("[DASH-45] a notification names the session and the reason", () => {
  expect(toNotice(ask)).toMatchObject({
    reason: "ask",
    title: "Auth",
    body: "Cedar asks: “Which key?”",
    subjects: [ask.session_id, "auth"],
    address: "/sessions/auth?m=2",
  });
});

it("[DASH-301] one of a file names the file", () => {
  const failed: AttentionItem = {
    ...ask,
    id: "job_failed:file:8",
    kind: "job_failed",
    session_id: null,
    session: null,
    session_title: null,
    source_path: "docs/guide.md",
    sequence: null,
    number: 8,
    team: null,
    text: "incorporate: Agent timed out after 5m.",
  };
  expect(toNotice(failed)).toMatchObject({
    reason: "job_failed",
    title: "docs/guide.md",
    body: "Job 8 incorporate: Agent timed out after 5m.",
    subjects: ["docs/guide.md"],
    address: "/sources?file=docs/guide.md",
  });
});

it("[DASH-46] what has come and what is gone is told apart, so that the gone are withdrawn", () => {
  const before = new Map([notice("a"), notice("b")].map((each) => [each.id, each]));
  const { come, gone } = compareNotices(before, [notice("b"), notice("c")]);
  expect([come.map(({ id }) => id), gone.map(({ id }) => id)]).toEqual([["c"], ["a"]]);
});
